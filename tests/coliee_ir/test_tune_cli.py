"""``coliee-ir tune`` and ``coliee-ir cut``: what is written where, and what is refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from asserting import heard

import coliee_ir.examples
from coliee_adapters.files.source import Source
from coliee_ir import evaluate, read_run, validate
from coliee_ir.rules.protocol import NEWEST

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example data, which is the current folder."""
    shutil.copytree(Path(coliee_ir.examples.__file__).parent, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    return tmp_path / "examples"


TREC = ("trec/qrels.txt", "trec/bm25.run", "-m", "MicroF1", "--by", "score")
TASK1 = ("task1/gold.json", "task1/rerank.json")
TASK3 = ("task3/gold.xml", "task3/task3.ALPHA", "--answers", "task3/answers.ALPHA", "--by", "score")


def from_stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_run_is_tuned_and_what_was_read_is_said_beside(call: Call) -> None:
    code, out, err = call("tune", *TASK1)
    assert code == 0
    assert out.splitlines()[1].split() == [
        *["rerank", "the", "first", "3", "of", "each", "query"],
        *["0.5209", "0.0052", "0.4608", "0.5803", "0.5371", "0.0162"],
    ]  # fmt: skip
    assert err == (
        f"task 1 … {NEWEST} … (…)\n"
        "rerank: 40 queries: 40 answered, 0 unanswered\n"
        "rerank: [gold-duplicate] 1 … (first: query 068517: 059728)\n"
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (TREC, "task trec (…)"),
        (("--task", "trec", *TREC), "task trec"),
        (("task2/gold.json", "task2/mono.txt"),
         f"task 2 … {NEWEST} … (…)"),
        (TASK3, f"task 3 … {NEWEST} … (…)"),
        (("task3-2025/gold.xml", "task3-2025/task3-L.ALPHA", "--edition", "2025", "--by", "margin"),
         "task 3 … 2025 … (…)"),
    ],
)  # fmt: skip
def test_the_task_is_found(call: Call, options: tuple[str, ...], says: str) -> None:
    code, _, err = call("tune", *options)
    assert heard((code, err.splitlines()[0])) == (0, says)


def test_a_rule_goes_through_a_file_to_another_run(call: Call) -> None:
    code, out, err = call("tune", *TREC, "--save", "rule.json", "-f", "json")
    told = json.loads(out)["tunings"][0]
    rule = json.loads(Path("rule.json").read_text())
    assert code == 0
    assert rule == {**told["rule"], "filters": []}
    said = next(line for line in err.splitlines() if line.startswith("rule.json: "))
    Path("tuning.json").write_text(json.dumps(told))
    code, first, err = call("cut", "trec/bm25.run", "--rule", "rule.json", "--task", "trec")
    assert (code, err.splitlines()[0]) == (0, f"keep {said.removeprefix('rule.json: ')}")
    assert first == call("cut", "trec/bm25.run", "--rule", "tuning.json", "--task", "trec")[1]
    Path("cut.run").write_text(first)
    scored = evaluate("trec/qrels.txt", "cut.run", measures="MicroF1").measures["MicroF1"]
    assert scored == pytest.approx(told["resubstitution"], abs=1e-12)


def test_the_cut_test_run_is_a_valid_submission_of_the_task(call: Call) -> None:
    code, out, err = call("tune", *TASK1, "--apply", "task1/rerank.json", "-o", "RUN1.txt", "--tag", "RUN1")
    assert code == 0
    assert out.startswith("run ")
    assert "RUN1.txt: 108 documents of 40 queries\n" in err
    lines = [line.split() for line in Path("RUN1.txt").read_text().splitlines()]
    assert {len(line) for line in lines} == {3}
    assert {line[2] for line in lines} == {"RUN1"}
    assert validate("RUN1.txt", task="1").errors == 0
    assert evaluate("task1/gold.json", "RUN1.txt").measures["MicroF1"] == pytest.approx(0.5371, abs=5e-5)


def test_the_submission_has_the_columns_of_task_and_edition(call: Call) -> None:
    for edition, columns in (("2025", 6), ("2017", 3)):
        code, _, _ = call(
            "tune", "task3-2025/gold.xml", "task3-2025/task3-L.ALPHA", "--edition", edition, "--by", "k",
            "--apply", "task3-2025/task3-L.ALPHA", "-o", "out.txt",
        )  # fmt: skip
        assert code == 0
        assert {len(line.split()) for line in Path("out.txt").read_text().splitlines()} == {columns}


def test_articles_and_answers_of_task_3_from_end_to_end(call: Call) -> None:
    code, out, err = call("tune", *TASK3, "--apply", "task3/task3.ALPHA", "-o", "task3.CUT", "-f", "json")
    assert code == 0
    told = json.loads(out)["tunings"][0]
    assert told["measure"] == "Accuracy"
    scores = evaluate("task3/gold.xml", "task3.CUT", answers="task3/answers.ALPHA")
    assert scores.measures["Accuracy"] == pytest.approx(told["resubstitution"])
    assert "task3.CUT: " in err


def test_errors_in_what_was_written_are_findings(call: Call) -> None:
    code, _, err = call("tune", *TASK1, "--apply", "task1/rerank.json", "-o", "o.txt", "--tag", "A-TAG-OF-MANY-LETTERS")
    assert code == 1
    assert "error" in err
    code, _, err = call("cut", "task1/rerank.json", "--rule", "k.json", "--task", "1", "-o", "o.txt")
    assert code == 2
    Path("k.json").write_text('{"family": "k", "threshold": 2}')
    assert call("cut", "task1/rerank.json", "--rule", "k.json", "--task", "1", "-o", "o.txt")[0] == 0
    assert call("cut", "task1/rerank.json", "--rule", "k.json", "--task", "1", "-o", "o.txt", "--tag", "a" * 30)[0] == 1


def test_the_cut_run_on_standard_output_stands_alone(call: Call) -> None:
    table = call("tune", *TASK1)[1]
    for output in ([], ["-o", "-"]):
        code, out, err = call("tune", *TASK1, "--apply", "task1/rerank.json", *output)
        assert code == 0
        assert {len(line.split()) for line in out.splitlines()} == {3}
        assert table in err
    code, out, _ = call("tune", *TASK1, "--save", "-")
    assert json.loads(out) == {"family": "k", "threshold": 3.0, "floor": 0, "cap": None, "filters": []}


def test_a_tuning_goes_to_a_file(call: Call) -> None:
    table = call("tune", *TASK1)[1]
    code, out, _ = call("tune", *TASK1, "-o", "tuning.txt", "--save", "-")
    assert (code, Path("tuning.txt").read_text()) == (0, table)
    assert json.loads(out)["family"] == "k"
    code, out, err = call("tune", *TASK1, "--save", "-")
    assert json.loads(out)["family"] == "k"
    assert table in err


@pytest.mark.parametrize("option", ["extra_queries=wrong", "undefined=one"])
def test_choices_that_cannot_matter_to_tuning_are_not_offered(call: Call, option: str) -> None:
    code, _, err = call("tune", *TASK1, "--decision", option)
    assert (code, "there is no decision" in err) == (2, True)


def test_a_curve_in_another_format_is_refused_with_all_that_there_are(call: Call) -> None:
    code, out, err = call("tune", *TASK1, "--curve", "curve.xyz")
    assert (code, out) == (2, "")
    assert all(ending in err for ending in (".csv", ".txt", ".svg", ".png"))


def test_a_cut_run_can_be_compressed(call: Call) -> None:
    assert call("tune", *TASK1, "--apply", "task1/rerank.json", "-o", "run.txt.gz")[0] == 0
    with gzip.open("run.txt.gz", "rt") as stream:
        assert stream.readline() == "002473 026639 rerank\n"
    assert evaluate("task1/gold.json", "run.txt.gz").measures["MicroF1"] == pytest.approx(0.5371, abs=5e-5)


def test_a_run_from_standard_input(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = call("tune", *TREC)[1]
    from_stdin(monkeypatch, Path("trec/bm25.run").read_text())
    assert call("tune", "trec/qrels.txt", "-", *TREC[2:])[1] == expected
    from_stdin(monkeypatch, Path("trec/qrels.txt").read_text())
    assert call("tune", "-", *TREC[1:])[1] == expected
    alone = call("tune", *TASK3)[1]
    from_stdin(monkeypatch, Path("task3/answers.ALPHA").read_text())
    two = call("tune", TASK3[0], TASK3[1], "task3/task3.BETA", "--answers", "-", "--by", "score")
    assert two[0] == 0
    assert alone.splitlines()[1] in two[1].splitlines()
    Path("rule.json").write_text('{"family": "k", "threshold": 1}')
    from_stdin(monkeypatch, "q1 Q0 a 1 2.5 T\nq1 Q0 b 2 1.5 T\n")
    assert call("cut", "-", "--rule", "rule.json")[:2] == (0, "q1 Q0 a 1 2.5 T\n")
    from_stdin(monkeypatch, '{"family": "k", "threshold": 1}')
    assert call("cut", "trec/bm25.run", "--rule", "-")[0] == 0


def test_a_folder_of_runs_is_ranked_by_the_held_out_score_without_the_gold_in_it(call: Call) -> None:
    code, out, _ = call("tune", "task2/gold.json", "task2", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["run"] for row in rows] == ["mono", "rules"]
    assert float(rows[0]["MicroF1 held out"]) > float(rows[1]["MicroF1 held out"])
    alone = [call("tune", "task2/gold.json", path, "-f", "csv")[1] for path in ("task2/mono.txt", "task2/rules.csv")]
    assert out.splitlines()[1:] == [text.splitlines()[1] for text in alone]
    told = call("tune", "task2/gold.json", "task2/mono.txt", "task2/rules.csv")[1]
    assert "is optimistic; " in told


def test_many_runs_give_the_same_in_one_process_and_in_several(call: Call) -> None:
    Path("many").mkdir()
    for number in range(4):
        lines = Path("trec/bm25.run").read_text().splitlines()[number * 7 :]
        Path(f"many/{number}.run").write_text("\n".join(lines).replace("\tbm25", f"\tr{number}") + "\n")
    code, out, _ = call("tune", "trec/qrels.txt", "many", *TREC[2:], "--jobs", 1)
    assert code == 0
    assert {line.split()[0] for line in out.splitlines()[1:5]} == {"r0", "r1", "r2", "r3"}
    other = call("tune", "trec/qrels.txt", "many", *TREC[2:], "--jobs", 2)[1]
    assert other == out


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_broken_run_among_many(call: Call, jobs: int) -> None:
    Path("task1/broken.txt").write_text("002473 026639\n")
    runs = ("task1/gold.json", "task1/bm25.txt", "task1/broken.txt", "task1/dense.txt", "--jobs", jobs)
    code, out, err = call("tune", *runs)
    assert (code, out) == (2, "")
    assert "coliee-ir: task1/broken.txt" in err
    code, out, err = call("tune", *runs, "--keep-going", "-f", "tsv")
    assert code == 2
    assert [line.split("\t")[0] for line in out.splitlines()] == ["run", "dense", "bm25"]
    assert "coliee-ir: task1/broken.txt" in err
    code, out, err = call("tune", "task1/gold.json", "nowhere.txt", "nor.txt", "--keep-going", "--jobs", jobs)
    assert (code, out) == (2, "")
    assert err.count("[no-file]") == 2


def test_filters_are_used_told_and_remembered(call: Call) -> None:
    Path("dates.txt").write_text("q1 1999-01-01\nd422 2020-01-01\n# a comment\n")
    options = ("--not-itself", "--dates", "dates.txt")
    code, out, _ = call("tune", *TREC, *options, "--save", "rule.json")
    assert code == 0
    told = [line for line in out.splitlines() if " removed, " in line]
    assert heard([line.split(": ")[1] for line in told]) == [
        "not the query itself",
        "not newer than the query",
    ]
    assert json.loads(Path("rule.json").read_text())["filters"] == [line.split(": ")[1] for line in told]
    assert "other filters" not in call("cut", "trec/bm25.run", "--rule", "rule.json", *options)[2]
    _, _, err = call("cut", "trec/bm25.run", "--rule", "rule.json")
    assert "other filters" in err
    Path("none.json").write_text('{"family": "k", "threshold": 1, "filters": []}')
    _, _, err = call("cut", "trec/bm25.run", "--rule", "none.json", *options)
    assert "… none …\n" in err


def test_groups_are_read_from_a_file(call: Call) -> None:
    queries = [f"q{number}" for number in range(1, 21)]
    Path("groups.csv").write_text("".join(f"{query},g{at % 7}\n" for at, query in enumerate(queries)))
    code, out, _ = call("tune", *TREC, "--groups", "groups.csv", "-f", "json")
    assert (code, json.loads(out)["tunings"][0]["groups"]) == (0, 7)


def test_open_decisions_and_excluded_queries_are_options(call: Call) -> None:
    given = ("trec/qrels.txt", "trec/bm25.run", "-m", "MacroF1", "--by", "score", "-f", "json")
    plain = json.loads(call("tune", *given)[1])["tunings"][0]
    skipped = json.loads(call("tune", *given, "--decision", "unanswered=skip")[1])["tunings"][0]
    assert skipped["resubstitution"] > plain["resubstitution"]
    assert json.loads(call("tune", *given, "--exclude", "q1,q2")[1])["tunings"][0]["queries"] == 18


def _lists(path: str) -> dict[str, dict[str, float]]:
    from coliee_ir import to_run

    return to_run(read_run(Source(path)))


def test_a_tag_with_blanks_is_made_one_word(call: Call) -> None:
    shutil.copy("task1/rerank.json", "my best run.json")
    assert call("tune", "task1/gold.json", "my best run.json", "--apply", "my best run.json", "-o", "o.txt")[0] in (
        0,
        1,
    )
    assert Path("o.txt").read_text().split("\n")[0].split()[2] == "my_best_run"


def test_a_hostile_tag_is_said_harmlessly(call: Call) -> None:
    text = Path("trec/bm25.run").read_text().replace("\tbm25", "\t=\x1b[31mX")
    Path("hostile.run").write_text(text)
    for form in ("table", "csv", "markdown"):
        code, out, err = call("tune", "trec/qrels.txt", "hostile.run", *TREC[2:], "--not-itself", "-f", form)
        assert code == 0
        assert "\x1b" not in out + err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("tune", *TASK1, "--tag", "x"), "[option-needed]"),
        (("tune", *TASK1, "-m", "MicroF1", "-m", "MicroP"), "[ambiguous] tune … 2 … MicroF1, MicroP …"),
        (("tune", *TASK1, "-o", "x", "--save", "x"), "[would-overwrite] x …"),
        (("tune", *TASK1, "-o", "task1/gold.json"),
         "[would-overwrite] task1/gold.json …"),
        (("tune", *TASK1, "--task", "1", "--decision", "without_articles=wrong"),
         "[unfit-option] without_articles … wrong … 1 … 3 …"),
        (("tune", "task1/gold.json", "task1/bm25.txt", "task1/dense.txt", "--save", "x"),
         "[too-few] 2 …"),
        (("tune", "-", "-"), "[named-twice]"),
        (("tune", "task1/gold.json", "-", "--answers", "-"), "[named-twice]"),
        (("tune", *TASK1, "--apply", "task1/rerank.json", "-o", "-", "--save", "-"),
         "[named-twice]"),
        (("tune", *TASK1, "--seed", "-1"), "[bad-value]"),
        (("tune", *TASK1, "--by", "score"), "[unfit-option] 'score'…"),
        (("tune", *TASK1, "--dates", "bad.txt"),
         "bad.txt, line 2: [bad-cell] (found 'b 2001-1-1'); give …"),
        (("tune", *TASK1, "--groups", "twice.txt"),
         "twice.txt, line 3: [conflicting] (found 'a.txt')"),
        (("tune", *TASK1, "--groups", "three.txt"),
         "three.txt, line 1: [columns] (found 'a b c'); give QUERY GROUP"),
        (("tune", *TASK1, "--groups", "few.txt"),
         "[missing-key] 40 … 002473 …"),
        (("tune", "task1/gold.json", "empty"), "[empty] empty …"),
        (("tune", "task1/gold.json", "nowhere.txt"), "nowhere.txt: [no-file]"),
        (("cut", "-", "--rule", "-"), "[named-twice]"),
        (("cut", "task1/rerank.json", "--rule", "no.json"), "no.json: [no-file]"),
        (("cut", "task1/rerank.json", "--rule", "list.json"),
         "list.json: [structure]"),
        (("cut", "task1/rerank.json", "--rule", "score.json"),
         "[unfit-option] 'score'…"),
        (("cut", "task3/answers.ALPHA", "--rule", "score.json"),
         "task3/answers.ALPHA: [wrong-part]"),
        (("cut", "trec/bm25.run", "--rule", "score.json", "--task", "4"), "[wrong-part] 4 …"),
    ],
)  # fmt: skip
def test_what_is_refused(call: Call, arguments: tuple[str, ...], sentence: str) -> None:
    Path("bad.txt").write_text("a 2001-01-01\nb 2001-1-1\n")
    Path("twice.txt").write_text("a x\nb y\na.txt y\n")
    Path("three.txt").write_text("a b c\n")
    Path("few.txt").write_text("a x\n")
    Path("list.json").write_text("[1]")
    Path("score.json").write_text('{"family": "score", "threshold": 0.5}')
    Path("empty").mkdir()
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == f"coliee-ir: {sentence}"


def test_a_submission_that_cannot_be_written_leaves_the_old_one(call: Call) -> None:
    Path("old.txt").write_text("old\n")
    code, _, err = call("tune", *TASK1, "--apply", "nowhere.json", "-o", "old.txt")
    assert (code, Path("old.txt").read_text()) == (2, "old\n")
    assert "nowhere.json: [no-file]" in err
    code, _, err = call("tune", *TASK1, "--apply", "task1/rerank.json", "-o", "old.txt", "--tag", "two words")
    assert (code, Path("old.txt").read_text()) == (2, "old\n")


def test_a_run_tag_against_the_rules_is_said_with_the_option_that_names_another(call: Call) -> None:
    shutil.copy("task1/rerank.json", "mono_t5.json")
    code, _, err = call("tune", *TASK1, "--apply", "mono_t5.json", "-o", "o.txt")
    assert code == 1
    assert any("'mono_t5'" in line and "--tag" in line for line in err.splitlines())
    Path("k.json").write_text('{"family": "k", "threshold": 2}')
    code, _, err = call("cut", "mono_t5.json", "--rule", "k.json", "--task", "1", "-o", "o.txt")
    assert (code, "[bad-tag]" in err) == (1, True)
    code, _, err = call("cut", "mono_t5.json", "--rule", "k.json", "--task", "1", "-o", "o.txt", "--tag", "T5")
    assert (code, "--tag" in err) == (0, False)
    code, _, err = call("cut", "mono_t5.json", "--rule", "k.json", "-o", "o.txt")  # no task: no submission
    assert (code, "--tag" in err) == (0, False)


def test_a_system_description_in_a_folder_of_rankings_is_passed_over(call: Call) -> None:
    Path("rankings").mkdir()
    shutil.copy("task1/rerank.json", "rankings")
    Path("rankings/about.txt").write_text("Task: 1\nRun tag: RERANK\n")
    code, out, err = call("tune", "task1/gold.json", "rankings")
    assert code == 0
    assert out.splitlines()[1].startswith("rerank ")
    assert err.splitlines()[0] == "passed over 1 system description: rankings/about.txt"


def test_a_cut_run_is_written_in_other_formats(call: Call) -> None:
    Path("rule.json").write_text('{"family": "k", "threshold": 2}')
    given = ("cut", "task1/bm25.txt", "--rule", "rule.json", "--task", "1")
    code, out, err = call(*given, "--to", "json")
    assert code == 0, err
    kept = json.loads(out)
    columns = [line.split()[:2] for line in call(*given)[1].splitlines()]
    assert [[query, document] for query, documents in kept.items() for document in documents] == columns
    trec = call(*given, "--to", "trec", "--tag", "x")[1].splitlines()
    assert [line.split()[::2][:2] for line in trec] == columns
    assert {line.split()[-1] for line in trec} == {"x"}
    tuned = ("tune", "task1/gold.json", "task1/bm25.txt", "--by", "k", "--apply", "task1/bm25.txt")
    code, out, err = call(*tuned, "-o", "cut.json")
    assert code == 0, err
    assert json.loads(Path("cut.json").read_text()).keys() == kept.keys()


@pytest.mark.parametrize(("threshold", "hinted"), [(1000.0, True), (0.001, False)])
def test_a_rule_of_another_scale_is_asked_about(call: Call, threshold: float, hinted: bool) -> None:
    Path("rule.json").write_text(json.dumps({"family": "score", "threshold": threshold}))
    code, _, err = call("cut", "trec/bm25.run", "--rule", "rule.json", "-o", "out.txt")
    assert (code, "[no-score-reaches]" in err) == (0, hinted)
    assert bool(Path("out.txt").read_text()) is not hinted


def test_a_tag_that_cannot_be_sent_names_the_option(call: Call) -> None:
    Path("mono_t5.json").write_bytes(Path("task1/rerank.json").read_bytes())
    given = ("tune", "task1/gold.json", "task1/rerank.json", "--by", "k", "--apply", "mono_t5.json", "-o", "out.txt")
    code, _, err = call(*given)
    assert (code, "--tag" in err) == (1, True)
    assert call(*given, "--tag", "MONOT5")[0] == 0
