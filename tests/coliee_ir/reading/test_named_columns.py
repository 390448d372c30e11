"""Tables with named columns, through every command that reads golds and runs, beside the same run in TREC's columns."""

import json
import pickle
import random
from pathlib import Path

import one_step
import pandas
import polars
import pytest
from asserting import done, failing, heard, matches, refusing

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import (
    Evaluator,
    Scores,
    Submission,
    evaluate,
    read_gold,
    read_run,
    to_run,
)
from coliee_ir.scoring.score import score_each

pytestmark = pytest.mark.usefixtures("one_deal")


def scored_rows():
    """Five documents of each of eight queries by id, so that the order of lines is not that of scores."""
    chance = random.Random(5)
    return [(f"{q:03}", f"{d:03}", chance.random()) for q in range(1, 9) for d in sorted(chance.sample(range(99), 5))]


ROWS = scored_rows()
RANKED = [
    (query, document, sum(other > score for q, _, other in ROWS if q == query) + 1) for query, document, score in ROWS
]
GOLD = {query: [document] for query, document, score in ROWS if score == max(s for q, _, s in ROWS if q == query)}


def lines(rows, separator, header=""):
    head = separator.join(header.split()) + "\n" if header else ""
    return head + "".join(separator.join(map(str, row)) + "\n" for row in rows)


RUNS = {
    "query_id.csv": lines(ROWS, ",", "query_id doc_id score"),
    "case_id.tsv": lines(ROWS, "\t", "case_id candidate_id score"),
    "qid.txt": lines(ROWS, " ", "qid docno sim"),
    "semicolons.csv": lines(ROWS, ";", "query document similarity"),
    "nothing.tsv": lines(ROWS, "\t"),
    "nothing.csv": lines(ROWS, ","),
    "rank.tsv": lines([(q, d, 3 * rank) for q, d, rank in RANKED], "\t", "qid pid rank"),
    "marco.tsv": lines(RANKED, "\t"),
    "marco.csv": lines(RANKED, ","),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("own.tsv").write_text(lines(ROWS, "\t", "thema stelle wert"))
    Path("trec").write_text("".join(f"{q} Q0 {d} 1 {score!r} T\n" for q, d, score in ROWS))
    for name, text in RUNS.items():
        Path(name).write_text(text)
    return tmp_path


OWN = ("--columns", "query=thema,document=stelle,score=wert")


@pytest.mark.parametrize("name", RUNS)
def test_a_converted_table_keeps_its_order_and_not_its_header(folder, call, name):
    out, _ = done(call, "convert", name, "-", "--to", "columns", "--tag", "T")
    assert out == call("convert", "trec", "-", "--to", "columns", "--tag", "T")[1]


@pytest.mark.parametrize("name", ["semicolons.csv", "marco.tsv"])
def test_a_table_is_tuned_cut_and_fused_as_a_run(folder, call, name):
    rules = {}
    for run in ("trec", name):
        tuned = call("tune", "gold.json", run, "--task", "2", "--by", "k", "--folds", "4", "--save", "rule.json")
        assert tuned[0] == 0
        rules[run] = Path("rule.json").read_text()
    assert rules[name] == rules["trec"]
    cut = {run: call("cut", run, "--rule", "rule.json", "--tag", "T", "--task", "2") for run in (name, "trec")}
    assert cut[name][0] == 0
    assert cut[name][1] == cut["trec"][1]
    fused = {run: call("fuse", run, "trec", "--method", "rrf", "-o", "-") for run in (name, "trec")}
    assert fused[name][1] == fused["trec"][1]


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("evaluate", ["gold.json", "own.tsv", "--task", "2", "-m", "AP"]),
        ("compare", ["gold.json", "own.tsv", "trec", "--task", "2", "--resamples", "9"]),
        ("leaderboard", ["gold.json", "own.tsv", "trec", "--task", "2", "--resamples", "9"]),
        ("tune", ["gold.json", "own.tsv", "--task", "2", "--folds", "4", "--by", "k"]),
        ("cut", ["own.tsv", "--rule", "rule.json"]),
        ("fuse", ["own.tsv", "trec", "-o", "-"]),
        ("fuse", ["own.tsv", "trec", "-o", "f.run", "--fit", "gold.json", "--folds", "4", "--task", "2"]),
        ("convert", ["own.tsv", "-"]),
    ],
)
def test_every_command_takes_names_of_columns(folder, call, command, rest):
    Path("rule.json").write_text('{"family": "k", "threshold": 1}')
    code, _, err = call(command, *rest)
    assert (code, "[missing-column]" in err) == (2, True)
    code, _, err = call(command, *rest, *OWN)
    assert (code, "thema" in err) == (0, False)
    code, _, err = call(command, *rest, *OWN[:1], OWN[1] + ",rank=ort")
    assert (code, "rank=ort" in err, "stelle, thema, wert" in err) == (2, True, True)


def test_names_without_a_table_are_refused(folder, call):
    err = failing(call, "evaluate", "gold.json", "trec", "--columns", "score=sim")
    assert "[missing-column]" in err
    for wrong in ("score", "scores=a", "score="):
        assert call("evaluate", "gold.json", "trec", "--columns", wrong)[0] == 2


def test_names_hold_for_a_gold_and_its_runs(folder, call):
    judged = [(query, document, 1) for query, documents in GOLD.items() for document in documents]
    Path("gold.tsv").write_text(lines(judged, "\t", "thema stelle urteil"))
    names = {"query": "thema", "document": "stelle", "score": "wert", "relevance": "urteil"}
    given = ",".join(f"{role}={name}" for role, name in names.items())
    code, out, _ = call("evaluate", "gold.tsv", "own.tsv", "--columns", given, "-m", "AP", "-f", "json")
    assert (code, json.loads(out)["runs"][0]["measures"]) == (0, {"AP": 1.0})
    assert evaluate("gold.tsv", "own.tsv", columns=names, measures="AP").measures == {"AP": 1.0}
    evaluator = Evaluator("gold.tsv", "AP", columns=names)
    frame = pandas.DataFrame(ROWS, columns=["thema", "stelle", "wert"])
    for run in ("own.tsv", frame, [dict(zip(frame.columns, row, strict=True)) for row in ROWS]):
        assert evaluator.evaluate(run).measures == {"AP": 1.0}
    assert [scores.measures for scores in score_each(evaluator, [Submission("own.tsv")])] == [{"AP": 1.0}]
    assert read_gold("gold.tsv", columns=names).queries == tuple(GOLD)
    assert to_run(read_run("own.tsv", columns=names)) == to_run("trec")
    with refusing(InputError, "[missing-column]"):
        read_run("own.tsv")
    with refusing(UsageError, "[unknown-name]"):
        read_run("own.tsv", columns={"topic": "thema"})


def test_a_large_file_of_ranks_is_read_in_parts(tmp_path):
    rows = [(f"q{q}", f"d{d}", d) for q in range(90) for d in range(1, 101)]
    file = tmp_path / "ranks.tsv"
    file.write_text("".join(f"{q}\t{d}\t{rank}\n" for q, d, rank in sorted(rows, key=lambda row: (row[0], -row[2]))))
    with pytest.raises(InputError, match="integers"):  # 100, 99, …: the best or the worst first?
        read_run(file)
    file.write_text("".join(f"{q}\t{d}\t{rank}\n" for q, d, rank in rows))
    evaluator = Evaluator({f"q{q}": ["d2"] for q in range(90)}, "RR", task="trec")
    in_parts = evaluator.evaluate(file, jobs=2)
    assert in_parts.measures == {"RR": 0.5}
    assert in_parts.remarks == evaluator.evaluate(file).remarks
    assert any("[read-as-rank]" in heard(remark) for remark in in_parts.remarks)


def test_lazy_frames_are_collected_before_processes_are_forked(monkeypatch):
    collected = []
    frame = polars.DataFrame({"query_id": ["001"], "doc_id": [GOLD["001"][0]], "score": [0.5]})

    class Lazy:
        """What shows where it is collected: in another process, the list would stay empty."""

        def collect_schema(self): ...

        def collect(self):
            collected.append(self)
            return frame

    monkeypatch.setattr("coliee_ir.scoring.score.WORTH_A_PROCESS", 0)
    evaluator = Evaluator(GOLD, "MicroF1", task="2")
    results = list(score_each(evaluator, [Submission(Lazy()), Submission(Lazy())], jobs=2))
    assert len(collected) == 2
    assert [scores.measures for scores in results] == [{"MicroF1": pytest.approx(2 / 9)}] * 2
    pickle.dumps(results)


def test_a_comparison_says_of_its_runs_what_evaluate_says(folder, call):
    Path("copy").write_bytes(Path("trec").read_bytes())
    Path("more").write_text(Path("trec").read_text() + "x Q0 001 1 0.5 T\n")
    comparison = one_step.compare("gold.json", "trec", "copy", "more", task=2, n_resamples=9)
    evaluator = Evaluator("gold.json", task=2)
    scored = score_each(evaluator, ["trec", "copy", "more"], jobs=1)
    told = [list(scores.remarks) for scores in scored if isinstance(scores, Scores)]
    assert [list(standing.remarks) for standing in comparison.runs] == told
    assert matches(heard(told[1]), [*told[0], "[identical] trec …"])
    assert any("[extra-query]" in heard(remark) for remark in told[2] for n in (1, 2))
    code, out, _ = call("compare", "gold.json", "trec", "copy", "more", "--task", "2", "--resamples", "9", "-f", "json")
    assert (code, [run["remarks"] for run in json.loads(out)["runs"]]) == (0, told)


JUDGED = {f"R01-{n:02}-A": ("YN"[n % 2], "YN"[n % 3 == 0]) for n in range(1, 13)}
ACCURACY = sum(label == prediction for label, prediction in JUDGED.values()) / len(JUDGED)


@pytest.fixture
def both(folder):
    """A table that is a gold and a run, in several containers."""
    frame = pandas.DataFrame([(q, *row, "['Y', 'N']") for q, row in JUDGED.items()], columns=["id", "a", "b", "votes"])
    for name, (truth, system) in {"sure": ("label", "prediction"), "unsure": ("label", "gpt4")}.items():
        table = frame.rename(columns={"a": truth, "b": system})
        table.to_csv(f"{name}.csv", index=False)
        table.to_json(f"{name}.jsonl", orient="records", lines=True)
        table.to_parquet(f"{name}.parquet")
    return frame


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_file_that_is_gold_and_run_is_not_compared_with_itself(both, call, ending):
    for columns in ("query=id", "answer=prediction", "label=label,answer=prediction"):
        file = f"sure.{ending}"
        out, _ = done(call, "evaluate", file, file, "--columns", columns, "-f", "json")
        assert json.loads(out)["runs"][0]["measures"]["Accuracy"] == pytest.approx(ACCURACY)
    for command in ("compare", "leaderboard"):
        runs = [f"sure.{ending}", f"unsure.{ending}"]
        out, _ = done(call, command, runs[0], *runs, "--columns", "label=label,answer=gpt4", "-f", "json")
        scores = [run.get("score") or run["measures"]["Accuracy"] for run in json.loads(out)["runs"]]
        assert scores == [pytest.approx(ACCURACY)] * 2
    file = f"unsure.{ending}"
    for command in ("evaluate", "leaderboard", "report"):
        rest = ["-o", "page.html"] if command == "report" else []
        err = failing(call, command, file, file, *rest, "--columns", "answer=gpt4")
        assert ("[ambiguous]" in err, "label=" in err) == (True, True)
    out, _ = done(call, "evaluate", file, file, "--columns", "label=label,answer=gpt4", "-f", "json")
    assert json.loads(out)["runs"][0]["measures"]["Accuracy"] == pytest.approx(ACCURACY)


def test_a_table_of_predictions_alone_is_not_a_gold(folder, call):
    Path("p.csv").write_text("id,prediction\nR01-1-A,Y\nR01-2-A,N\n")
    Path("w.csv").write_text("id,urteil\nR01-1-A,Y\nR01-2-A,N\n")
    assert "[missing-column]" in failing(call, "evaluate", "p.csv", "p.csv", "--columns", "answer=prediction")
    for columns in ("answer=urteil", "label=urteil", "label=urteil,answer=prediction"):  # the only labels there are
        out, _ = done(call, "evaluate", "w.csv", "p.csv", "--columns", columns, "-f", "json")
        assert json.loads(out)["runs"][0]["measures"] == {"Accuracy": 1.0}


def test_a_converted_table_holds_what_its_columns_are_named_for(both, call):
    for name, columns in (("sure", "answer=prediction"), ("unsure", "label=label,answer=gpt4")):
        for to, of in (("labels", 1), ("qrels", 0)):
            out, _ = done(call, "convert", f"{name}.csv", "-", "--to", to, "--columns", columns)
            held = {words[0]: words[2 if to == "qrels" else 1] for words in map(str.split, out.splitlines())}
            assert held == {query: row[of] for query, row in JUDGED.items()}
    failing(call, "convert", "unsure.csv", "-", "--to", "qrels", "--columns", "answer=gpt4")


def test_paths_of_keys_are_named_in_every_command(folder, call):
    said = {"R01-01-A": ("Y", "So the answer is Yes."), "R01-02-A": ("N", "The answer is No.")}
    records = [{"id": q, "out": {"judgment": y, "text": text}, "article": {"num": 5}} for q, (y, text) in said.items()]
    Path("gold.csv").write_text("id,label\nR01-01-A,Y\nR01-02-A,N\n")
    Path("lines.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    Path("under.json").write_text(json.dumps({"model": "m", "results": records}, indent=1))
    for file in ("lines.jsonl", "under.json"):
        columns = ["--columns", "query=id,answer=out.judgment"]
        out, _ = done(call, "evaluate", "gold.csv", file, *columns, "-f", "json")
        assert json.loads(out)["runs"][0]["measures"] == {"Accuracy": 1.0}
        assert call("validate", file, "--task", "4", *columns)[0] in (0, 1)
        for of, form in (("judgment", []), ("text", ["--from", "text"])):
            names = ["--columns", f"query=id,answer=out.{of}"]
            out, _ = done(call, "convert", file, "-", "--to", "labels", "--tag", "T", *form, *names)
            assert out == "R01-01-A Y T\nR01-02-A N T\n"
        for wrong in ("judgment", "out.answer"):
            err = failing(call, "evaluate", "gold.csv", file, "--columns", f"query=id,answer={wrong}")
            assert ("out.judgment" in err, "--protocol" in err) == (True, True)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_one_column_of_a_file_is_not_its_gold_and_its_run(both, call, ending):
    for name, columns in (
        ("sure", "label=prediction"),
        ("sure", "answer=label"),
        ("unsure", "label=gpt4,answer=gpt4"),
        ("unsure", "label=label,answer=label"),
    ):
        file = f"{name}.{ending}"
        for command in ("evaluate", "leaderboard"):
            code, out, err = call(command, file, file, "--columns", columns)
            assert (code, out) == (2, "")
            assert "[ambiguous]" in err or "[no-run]" in err
        with refusing(InputError, "[ambiguous]"):
            evaluate(file, file, columns=dict(part.split("=") for part in columns.split(",")))


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_first_row_of_unknown_names_above_answers_is_no_question(call, tmp_path, sign):
    questions = [f"R06-0{n}-A" for n in range(1, 6)]
    (tmp_path / "gold.txt").write_text("".join(f"{one} Y\n" for one in questions))
    rows = [["question_number", "gpt4", "claude"], *([one, "N", "Y"] for one in questions)]
    (tmp_path / "run.csv").write_text("".join(sign.join(row) + "\n" for row in rows))
    command = "evaluate", tmp_path / "gold.txt", tmp_path / "run.csv", "-f", "csv"
    for options in ((), ("--decision", "unreadable_answers=wrong")):
        code, out, err = call(*command, *options)
        assert (code, out) == (2, "") and "[missing-column]" in err and "query=question_number,answer=gpt4" in err
    for name, accuracy in (("gpt4", "0.0"), ("claude", "1.0")):
        out, _ = done(call, *command, "--columns", f"query=question_number,answer={name}")
        assert out.splitlines()[1] == f"run,{accuracy}"
