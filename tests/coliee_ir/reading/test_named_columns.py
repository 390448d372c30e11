"""Tables with named columns, through every command that reads golds and runs, beside the same run in TREC's columns."""

import json
import pickle
import random
from pathlib import Path

import pandas
import polars
import pytest
from asserting import done, failing, heard, mentions, refusing

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Evaluator, Submission, evaluate, evaluate_all, read_gold, read_run, to_run
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
def folder(here):
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("own.tsv").write_text(lines(ROWS, "\t", "thema stelle wert"))
    Path("trec").write_text("".join(f"{q} Q0 {d} 1 {score!r} T\n" for q, d, score in ROWS))
    for name, text in RUNS.items():
        Path(name).write_text(text)
    return here


OWN = ("--columns", "query=thema,document=stelle,score=wert")


def test_a_table_keeps_its_order_and_not_its_header(folder, call):
    plain, _ = done(call, "convert", "trec", "-", "--to", "columns", "--tag", "T")
    for name in RUNS:
        assert done(call, "convert", name, "-", "--to", "columns", "--tag", "T")[0] == plain, name


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("evaluate", ["gold.json", "own.tsv", "--task", "2", "-m", "AP"]),
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
    assert "thema" not in done(call, command, *rest, *OWN)[1]
    code, _, err = call(command, *rest, *OWN[:1], OWN[1] + ",rank=ort")
    assert (code, "rank=ort" in err, "stelle, thema, wert" in err) == (2, True, True)


def test_names_hold_for_a_gold_and_its_runs_and_without_a_table_are_refused(folder, call):
    judged = [(query, document, 1) for query, documents in GOLD.items() for document in documents]
    Path("gold.tsv").write_text(lines(judged, "\t", "thema stelle urteil"))
    names = {"query": "thema", "document": "stelle", "score": "wert", "relevance": "urteil"}
    typed = ",".join(f"{role}={name}" for role, name in names.items())
    out, _ = done(call, "evaluate", "gold.tsv", "own.tsv", "--columns", typed, "-m", "AP", "-f", "json")
    assert json.loads(out)["runs"][0]["measures"] == {"AP": 1.0}
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


def test_a_large_file_of_ranks_is_read_in_parts(tmp_path):
    rows = [(f"q{q}", f"d{d}", d) for q in range(90) for d in range(1, 101)]
    file = tmp_path / "ranks.tsv"
    file.write_text(lines(sorted(rows, key=lambda row: (row[0], -row[2])), "\t"))
    with pytest.raises(InputError, match="integers"):  # 100, 99, …: the best or the worst first?
        read_run(file)
    file.write_text(lines(rows, "\t"))
    evaluator = Evaluator({f"q{q}": ["d2"] for q in range(90)}, "RR", task="trec")
    in_parts = evaluator.evaluate(file, jobs=2)
    assert in_parts.measures == {"RR": 0.5}
    assert in_parts.remarks == evaluator.evaluate(file).remarks
    assert mentions(heard(in_parts.remarks[0]), "[read-as-rank]")


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


JUDGED = {f"R01-{n:02}-A": ("YN"[n % 2], "YN"[n % 3 == 0]) for n in range(1, 13)}
ACCURACY = pytest.approx(sum(label == prediction for label, prediction in JUDGED.values()) / len(JUDGED))


@pytest.fixture
def both(folder):
    """A table that is a gold and a run, in several containers."""
    frame = pandas.DataFrame([(q, *row, "['Y', 'N']") for q, row in JUDGED.items()], columns=["id", "a", "b", "votes"])
    for name, (truth, system) in {"sure": ("label", "prediction"), "unsure": ("label", "gpt4")}.items():
        table = frame.rename(columns={"a": truth, "b": system})
        table.to_csv(f"{name}.csv", index=False)
        table.to_json(f"{name}.jsonl", orient="records", lines=True)
        table.to_parquet(f"{name}.parquet")


def accuracy(call, gold, run, columns):
    out, _ = done(call, "evaluate", gold, run, "--columns", columns, "-f", "json")
    return json.loads(out)["runs"][0]["measures"]["Accuracy"]


#: columns from which a file can be no gold and a run
ONE_COLUMN = (
    ("sure", "label=prediction"),
    ("sure", "answer=label"),
    ("unsure", "answer=gpt4"),
    ("unsure", "label=gpt4,answer=gpt4"),
    ("unsure", "label=label,answer=label"),
)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_file_that_is_gold_and_run_is_not_compared_with_itself(both, call, ending):
    sure, unsure = f"sure.{ending}", f"unsure.{ending}"
    for columns in ("query=id", "answer=prediction", "label=label,answer=prediction"):
        assert accuracy(call, sure, sure, columns) == ACCURACY
    assert accuracy(call, unsure, unsure, "label=label,answer=gpt4") == ACCURACY
    out, _ = done(call, "compare", sure, sure, unsure, "--columns", "label=label,answer=gpt4", "-f", "json")
    assert [run["score"] for run in json.loads(out)["runs"]] == [ACCURACY] * 2
    for name, columns in ONE_COLUMN:
        file = f"{name}.{ending}"
        for command in (["evaluate"], ["leaderboard"], ["report", "-o", "page.html"]):
            err = failing(call, *command[:1], file, file, *command[1:], "--columns", columns)
            assert "[ambiguous]" in err or "[no-run]" in err
            assert columns != "answer=gpt4" or "label=" in err
        with refusing(InputError, "[ambiguous]"):
            evaluate(file, file, columns=dict(part.split("=") for part in columns.split(",")))


def test_a_table_of_predictions_alone_is_not_a_gold(folder, call):
    Path("p.csv").write_text("id,prediction\nR01-1-A,Y\nR01-2-A,N\n")
    Path("w.csv").write_text("id,urteil\nR01-1-A,Y\nR01-2-A,N\n")
    assert "[missing-column]" in failing(call, "evaluate", "p.csv", "p.csv", "--columns", "answer=prediction")
    for columns in ("answer=urteil", "label=urteil", "label=urteil,answer=prediction"):  # the only labels there are
        assert accuracy(call, "w.csv", "p.csv", columns) == 1.0


def test_a_converted_table_holds_what_its_columns_are_named_for(both, call):
    for name, columns in (("sure", "answer=prediction"), ("unsure", "label=label,answer=gpt4")):
        for to, of, place in (("labels", 1, 1), ("qrels", 0, 2)):
            out, _ = done(call, "convert", f"{name}.csv", "-", "--to", to, "--columns", columns)
            labels = {words[0]: words[place] for words in map(str.split, out.splitlines())}
            assert labels == {query: row[of] for query, row in JUDGED.items()}
    failing(call, "convert", "unsure.csv", "-", "--to", "qrels", "--columns", "answer=gpt4")


def test_paths_of_keys_are_named_in_every_command(folder, call):
    answers = {"R01-01-A": ("Y", "So the answer is Yes."), "R01-02-A": ("N", "The answer is No.")}
    records = [
        {"id": q, "out": {"judgment": y, "text": text}, "article": {"num": 5}} for q, (y, text) in answers.items()
    ]
    Path("gold.csv").write_text("id,label\nR01-01-A,Y\nR01-02-A,N\n")
    Path("lines.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    Path("under.json").write_text(json.dumps({"model": "m", "results": records}, indent=1))
    for file in ("lines.jsonl", "under.json"):
        assert accuracy(call, "gold.csv", file, "query=id,answer=out.judgment") == 1.0
        assert call("validate", file, "--task", "4", "--columns", "query=id,answer=out.judgment")[0] in (0, 1)
        for of, form in (("judgment", []), ("text", ["--from", "text"])):
            names = ["--columns", f"query=id,answer=out.{of}"]
            out, _ = done(call, "convert", file, "-", "--to", "labels", "--tag", "T", *form, *names)
            assert out == "R01-01-A Y T\nR01-02-A N T\n"
        for wrong in ("judgment", "out.answer"):
            err = failing(call, "evaluate", "gold.csv", file, "--columns", f"query=id,answer={wrong}")
            assert ("out.judgment" in err, "--protocol" in err) == (True, True)


@pytest.mark.parametrize("sign", [",", ";", "\t"])
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
