"""Tables with named columns, through commands that read golds and runs, beside the same run in TREC's columns."""

import json
import random
from pathlib import Path

import pandas
import pytest
from asserting import done, failing, refusing

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Evaluator, evaluate, evaluate_all, read_gold, read_run, to_run

pytestmark = pytest.mark.usefixtures("one_deal")

CHANCE = random.Random(5)
#: five documents of each of eight queries by id, so that the order of lines is not that of scores
ROWS = [(f"{q:03}", f"{d:03}", CHANCE.random()) for q in range(1, 9) for d in sorted(CHANCE.sample(range(99), 5))]
GOLD = {q: [d] for q, d, score in ROWS if score == max(row[2] for row in ROWS if row[0] == q)}


def lines(rows, separator, header=""):
    head = separator.join(header.split()) + "\n" if header else ""
    return head + "".join(separator.join(map(str, row)) + "\n" for row in rows)


@pytest.fixture
def folder(here):
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("own.tsv").write_text(lines(ROWS, "\t", "thema stelle wert"))
    Path("trec").write_text("".join(f"{q} Q0 {d} 1 {score!r} T\n" for q, d, score in ROWS))


OWN = ("--columns", "query=thema,document=stelle,score=wert")


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("evaluate", ["gold.json", "own.tsv", "--task", "2", "-m", "AP"]),
        ("tune", ["gold.json", "own.tsv", "--task", "2", "--folds", "4", "--by", "k"]),
        ("cut", ["own.tsv", "--rule", "rule.json"]),
        ("fuse", ["own.tsv", "trec", "-o", "f.run", "--fit", "gold.json", "--folds", "4", "--task", "2"]),
        ("convert", ["own.tsv", "-"]),
    ],
)
def test_every_command_takes_names_of_columns(folder, call, command, rest):
    Path("rule.json").write_text('{"family": "k", "threshold": 1}')
    assert "[missing-column]" in call(command, *rest)[2]
    assert "thema" not in done(call, command, *rest, *OWN)[1]
    code, _, err = call(command, *rest, *OWN[:1], OWN[1] + ",rank=ort")
    assert (code, "rank=ort" in err, "stelle, thema, wert" in err) == (2, True, True)


def test_names_hold_for_a_gold_and_its_runs_and_without_a_table_are_refused(folder, call):
    judged = [(query, document, 1) for query, documents in GOLD.items() for document in documents]
    Path("gold.tsv").write_text(lines(judged, "\t", "thema stelle urteil"))
    names = {"query": "thema", "document": "stelle", "score": "wert", "relevance": "urteil"}
    evaluator = Evaluator("gold.tsv", "AP", columns=names)
    frame = pandas.DataFrame(ROWS, columns=["thema", "stelle", "wert"])
    for run in ("own.tsv", frame, [dict(zip(frame.columns, row, strict=True)) for row in ROWS]):
        assert evaluator.evaluate(run).measures == {"AP": 1.0}
    assert evaluate_all("gold.tsv", ["own.tsv"], columns=names, measures="AP")[0].measures == {"AP": 1.0}
    assert read_gold("gold.tsv", columns=names).queries == tuple(GOLD)
    assert to_run(read_run("own.tsv", columns=names)) == to_run("trec")
    with refusing(UsageError, "[unknown-name]"):
        read_run("own.tsv", columns={"topic": "thema"})
    with refusing(UsageError, "[missing-column]"):
        evaluate_all("gold.json", ["trec"], columns={"score": "sim"})
    for wrong in ("score=sim", "score", "scores=a", "score="):
        err = failing(call, "evaluate", "gold.json", "trec", "--columns", wrong)
        assert ("[missing-column]" in err) == (wrong == "score=sim")


# a table that is a gold and a run

JUDGED = {f"R01-{n:02}-A": ("YN"[n % 2], "YN"[n % 3 == 0]) for n in range(1, 13)}
ACCURACY = pytest.approx(sum(label == prediction for label, prediction in JUDGED.values()) / len(JUDGED))


@pytest.fixture
def both(folder):
    """One whose names say which column is which, and one whose names do not, in several containers."""
    frame = pandas.DataFrame([(q, *row, "['Y', 'N']") for q, row in JUDGED.items()], columns=["id", "a", "b", "votes"])
    for name, prediction in (("sure", "prediction"), ("unsure", "gpt4")):
        table = frame.rename(columns={"a": "label", "b": prediction})
        table.to_csv(f"{name}.csv", index=False)
        table.to_json(f"{name}.jsonl", orient="records", lines=True)
        table.to_parquet(f"{name}.parquet")


def accuracy(call, gold, run, columns):
    out, _ = done(call, "evaluate", gold, run, "--columns", columns, "-f", "json")
    return json.loads(out)["runs"][0]["measures"]["Accuracy"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_file_that_is_gold_and_run_is_not_compared_with_itself(both, call, ending):
    sure, unsure = f"sure.{ending}", f"unsure.{ending}"
    for columns in ("query=id", "answer=prediction", "label=label,answer=prediction"):
        assert accuracy(call, sure, sure, columns) == ACCURACY
    assert accuracy(call, unsure, unsure, "label=label,answer=gpt4") == ACCURACY
    for file, columns in (
        (sure, {"label": "prediction"}),
        (sure, {"answer": "label"}),
        (unsure, {"answer": "gpt4"}),
        (unsure, {"label": "gpt4", "answer": "gpt4"}),
        (unsure, {"label": "label", "answer": "label"}),
    ):
        with refusing(InputError, "[ambiguous]") as caught:
            evaluate(file, file, columns=columns)
        assert columns != {"answer": "gpt4"} or "label" in str(caught.value.remedy)
    failing(call, "leaderboard", unsure, unsure, "--columns", "answer=gpt4")


def test_a_table_of_predictions_alone_is_not_a_gold(both, call):
    Path("p.csv").write_text("id,prediction\nR01-1-A,Y\nR01-2-A,N\n")
    Path("w.csv").write_text("id,urteil\nR01-1-A,Y\nR01-2-A,N\n")
    assert "[missing-column]" in failing(call, "evaluate", "p.csv", "p.csv", "--columns", "answer=prediction")
    for columns in ("answer=urteil", "label=urteil", "label=urteil,answer=prediction"):  # the only labels there are
        assert accuracy(call, "w.csv", "p.csv", columns) == 1.0


@pytest.mark.parametrize("sign", [",", "\t"])
def test_a_first_row_of_unknown_names_above_answers_is_no_question(call, here, sign):
    questions = [f"R06-0{n}-A" for n in range(1, 6)]
    Path("gold.txt").write_text("".join(f"{query} Y\n" for query in questions))
    rows = [["question_number", "gpt4", "claude"], *([query, "N", "Y"] for query in questions)]
    Path("run.csv").write_text(lines(rows, sign))
    for options in ((), ("--decision", "unreadable_answers=wrong")):
        err = failing(call, "evaluate", "gold.txt", "run.csv", *options)
        assert "[missing-column]" in err and "query=question_number,answer=gpt4" in err
    for name, expected in (("gpt4", 0.0), ("claude", 1.0)):
        assert accuracy(call, "gold.txt", "run.csv", f"query=question_number,answer={name}") == expected
