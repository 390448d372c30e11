"""ir_metadata: read alone and at the head of a run, written so that PyYAML and we read it back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import one_step
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.descriptions import ir_metadata
from coliee_adapters.descriptions import system_description as descriptions
from coliee_adapters.descriptions.system_description import Description
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_ir import evaluate

Call = Callable[..., tuple[int, str, str]]

#: as the schema's pages have it, and the submission templates of LongEval
YAML = """schema-version: 0.1
run-version: 1.0
tag: univABC1
actor: {team: univABC, role: experimenter}
research goal:
  description: |
    BM25, reranked.
    Cut at 5.
method:
  automatic: true
  retrieval:
  - name: bm25
    k1: 0.9
  - name: monoT5
    method: https://example.org/t5
    reranks: bm25
data:
  test collection: {name: COLIEE 2026}
  training data:
  - name: LeCaRD
    source: https://example.org/lecard
  other: ENTER_VALUE_HERE
"""
SAID = Description(
    "", "univABC1", "bm25, k1: 0.9\nmonoT5, method: https://example.org/t5, reranks: bm25",
    "LeCaRD, source: https://example.org/lecard", "BM25, reranked.\nCut at 5.",
)  # fmt: skip

RUN = "000001 Q0 000101 1 2.0 univABC1\n"


def commented(text: str, start: str = "ir_metadata.start", end: str = "ir_metadata.end") -> str:
    return "".join(f"# {line}\n" for line in [start, *text.splitlines(), end])


def one(folder: Path, text: str, name: str = "about.yaml") -> Description:
    (folder / name).write_text(text, encoding="utf-8")
    source = Source(folder / name)
    (found,) = descriptions.at_head(source) or descriptions.read(source)
    return found._replace(file="", line=1)


#: the members that https://www.ir-metadata.org/metadata lists, where the examples of its pages have them
SCHEMA = """ir_metadata.start
schema-version: 0.1
run-version: 1.0
tag: univABC1
platform: {hardware: {cpu: {model: x}}, software: {libraries: {python: [torch]}}}
research goal:
  venue: {name: COLIEE, year: 2026}
  publication: {doi: https://doi.org/10.1, abstract: We rerank.}
  evaluation: {reported measures: [map], baseline: [b], significance test: [{name: t-test}]}
implementation: {executable: {cmd: ./run.sh}, source: {lang: [python], repository: github.com/x/y}}
method:
  automatic: true
  score ties: reverse alphabetical order
  indexing: {tokenizer: t, stemmer: s, stopwords: w}
  retrieval:
  - {name: bm25, method: BM25Similarity, b: 0.4}
  - {name: ensemble, ensembles: [bm25, lr]}
  - {name: both, weight: 0.6, interpolates: [bm25, ensemble]}
actor: {name: A, orcid: 0000, team: univABC, role: experimenter}
data:
  test collection: {name: COLIEE 2026, source: https://x, qrels: q, topics: t, ir_datasets: i}
  training data: [{name: LeCaRD, source: https://l}]
  other: [{name: GloVe, source: https://g}]
ir_metadata.end
"""


def test_every_member_of_the_schema_can_be_there(tmp_path: Path) -> None:
    said = one(tmp_path, SCHEMA)
    assert said.models.splitlines() == [
        "bm25, method: BM25Similarity, b: 0.4", "ensemble, ensembles: bm25; lr",
        "both, weight: 0.6, interpolates: bm25; ensemble",
    ]  # fmt: skip
    assert said.resources.splitlines() == ["LeCaRD, source: https://l", "GloVe, source: https://g"]
    assert (said.tag, said.explanation) == ("univABC1", "We rerank.")


@pytest.mark.parametrize(
    "text",
    [
        YAML, f"---\n# ours\n{YAML}", f"ir_metadata.start\n{YAML}ir_metadata.end\n", commented(YAML) + RUN,
        commented(YAML, "METADATA - START", "METADATA - END") + RUN,  # as repro_eval writes it
    ],
)  # fmt: skip
def test_it_is_read_alone_and_at_the_head_of_a_run(text: str, tmp_path: Path) -> None:
    assert one(tmp_path, text) == SAID


LINE = st.text(st.characters(min_codepoint=32, exclude_categories=("C", "Z")) | st.just(" "), min_size=1).map(
    lambda text: " ".join(text.split())
).filter(bool)  # fmt: skip


@settings(max_examples=settings().max_examples // 2)
@given(*[st.lists(LINE, max_size=3).map("\n".join)] * 3)
def test_what_is_written_reads_back(models: str, resources: str, said: str) -> None:
    told = Description("3", "univABC1", models, resources, said)
    text = ir_metadata.written(descriptions.metadata_of(told, 2026))
    members = yaml.safe_load(text)
    assert list(members)[3:] == ["platform", "research goal", "implementation", "method", "actor", "data"]
    assert ir_metadata.sniff(text.encode())
    assert descriptions.of_metadata(ir_metadata.read(text, "")) == told


def test_a_run_with_metadata_is_a_run_that_describes_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text('{"000001": ["000101"], "000002": ["000102"]}')
    Path("in").mkdir()
    Path("in", "run.txt").write_text(commented(YAML) + RUN)
    assert evaluate("gold.json", "in/run.txt", task="1").measures["MicroR"] == 0.5
    board = one_step.leaderboard("gold.json", "in", task="1", n_resamples=9)
    assert board.table("approaches").rows[0][-1] == "BM25, reranked. Cut at 5."
    Path("in", "run.txt").write_text(RUN)
    Path("in", "about.yml").write_text(YAML)
    board = one_step.leaderboard("gold.json", "in", task="1", n_resamples=9)
    assert (len(board.entries), board.table("approaches").rows[0][-1]) == (1, "BM25, reranked. Cut at 5.")


def test_descriptions_become_metadata_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.chdir(tmp_path)
    Path("form.txt").write_text(
        "Task: 1\nRun tag: A1, A2\n- Machine learning models:\nT5\n- External resources:\nnone\n- Explaination:\nAll.\n"
    )
    for options in (["--to", "ir_metadata"], ["--to", "ir_metadata", "--tag", "A9"], []):  # it describes two runs
        assert call("convert", "form.txt", "m.yaml", *options)[0] == 2
    assert not Path("m.yaml").exists()
    assert call("convert", "form.txt", "m.yaml", "--to", "ir_metadata", "--tag", "A2")[0] == 0
    assert call("convert", "m.yaml", "back.txt", "--to", "description")[0] == 0
    assert one(tmp_path, Path("back.txt").read_text(), "b.txt") == Description("1", "A2", "T5", "none", "All.")
    Path("run.txt").write_text("000001 000101 A2\n")
    code, _, err = call("validate", "m.yaml", "run.txt", "--task", "1")
    assert code == 0, err
    # a template for a run, in which nothing is filled in yet
    assert call("convert", "run.txt", "t.yaml", "--to", "ir_metadata")[0] == 0
    assert one(tmp_path, Path("t.yaml").read_text(), "t.yaml") == Description("1", "A2", "", "", "")
    # the head of a run fills in the form
    Path("told.txt").write_text(commented(YAML) + RUN)
    assert call("convert", "told.txt", "told.form", "--to", "description")[0] == 0
    assert "monoT5" in Path("told.form").read_text()


@pytest.mark.parametrize("text", ["tag: [a\nactor:\n", "tag: a\nactor: &x [*x]\n", "tag: 2024-02-31\nactor:\n",
                                  "tag: a\nactor: " + "[" * 30_000 + "\n", "# ir_metadata.start\n# - a\n"])  # fmt: skip
def test_what_is_not_yaml_of_members_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        one(tmp_path, text)


def test_without_pyyaml_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(UsageError, match=r"coliee-ir\[metadata\]"):
        one(tmp_path, YAML)


@pytest.mark.parametrize(
    "text", [RUN, "Task: 1\nRun tag: A\n", '{"tag": 1, "data": 2}', "tag: a\nnothing: else\n", "# a comment\n" + RUN]
)
def test_runs_and_forms_are_no_metadata(text: str) -> None:
    assert not ir_metadata.sniff(text.encode())
