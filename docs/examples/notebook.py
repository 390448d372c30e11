"""docs/notebook.md as a notebook: editors run its cells, and jupytext turns it into a file for Jupyter."""

# %% [markdown]
# # A notebook
#
# This page shows the cells of [notebook.py](examples/notebook.py) and their results. Open that file in an editor that
# runs cells, or turn it into a Jupyter notebook with `jupytext --to ipynb notebook.py`.

# %%
from pathlib import Path

import pandas as pd

import coliee_ir

task1 = Path(coliee_ir.__file__).parent / "examples" / "task1"
gold = task1 / "gold.json"
runs = [task1 / "bm25.txt", task1 / "dense.txt", task1 / "rerank.json"]

# %% [markdown]
# ## Evaluate
#
# An `Evaluator` prepares the gold once and scores many runs. Its default measures are the official ones of the task;
# the first one ranks.

# %%
evaluator = coliee_ir.Evaluator(gold)
scores = {run.stem: evaluator.evaluate(run) for run in runs}
pd.DataFrame({tag: found.measures for tag, found in scores.items()}).T.round(4)

# %% [markdown]
# Remarks say what was accepted with a warning:

# %%
print(*scores["dense"].remarks, sep="\n")

# %% [markdown]
# ## Query by query
#
# `per_query` holds the value of each measure for each query.

# %%
dense, rerank = (pd.DataFrame.from_dict(scores[tag].per_query, orient="index") for tag in ("dense", "rerank"))
dense.head().round(4)

# %% [markdown]
# The queries that the two runs answer most differently:

# %%
f1 = pd.DataFrame({"dense": dense["MicroF1"], "rerank": rerank["MicroF1"]})
f1["difference"] = f1["rerank"] - f1["dense"]
f1.sort_values("difference", kind="stable").iloc[[0, 1, -2, -1]].round(4)

# %% [markdown]
# ## Compare
#
# `compare` tests whether the differences could be chance ([what is tested](significance.md)).

# %%
comparison = coliee_ir.compare(coliee_ir.evaluate_all(gold, runs), baseline="bm25")
pd.DataFrame(
    [(comparison.runs[pair.a].tag, pair.difference, pair.p, pair.wins, pair.losses) for pair in comparison.pairs],
    columns=["run", "minus bm25", "corrected p", "wins", "losses"],
).round(4)
