"""What comes in: which files are one run, whose it is, what it is called, and by which gold it is judged."""

import csv
import json
from hashlib import sha256
from pathlib import Path

import one_step
import pytest
from asserting import clause, done, failing, mentions, refusing
from example_runs import EXAMPLES
from sent import write

from coliee_adapters.errors import InputError
from coliee_ir import Gold, Scored, compare, evaluate, evaluate_all, read_gold
from coliee_ir.inbox.tasks import Golds, QueryFile
from coliee_ir.inbox.teams import team_key
from coliee_ir.reading.anything import gold_files

T1, T3 = EXAMPLES / "task1", EXAMPLES / "task3"
GOLD = T1 / "gold.json"


def halves(folder, name="{}.txt", sign=" ", header=""):
    """The example of Task 1 in two files of one tag, which answer different queries."""
    lines = [line.split() for line in (T1 / "bm25.txt").read_text().splitlines()]
    queries = sorted({query for query, *_ in lines})
    files = [folder / name.format(n) for n in (0, 1)]
    for file, some in zip(files, (queries[::2], queries[1::2]), strict=True):
        write({str(file): header + "".join(f"{sign.join(line)}\n" for line in lines if line[0] in some)})
    return files


def test_files_of_one_tag_that_answer_different_queries_are_one_run(tmp_path):
    whole, parts = evaluate(GOLD, T1 / "bm25.txt"), halves(tmp_path / "in")
    tables = halves(tmp_path / "tables", "{}.csv", ",", "query_id,doc_id,tag\n")
    for given in (parts, tables, [tmp_path / "in"], [str(tmp_path / "in")]):
        (scored,) = evaluate_all(GOLD, given)
        assert (scored.tag, scored.measures) == ("bm25", whole.measures)
    assert evaluate(GOLD, [*map(str, parts)]).measures == whole.measures
    halves(tmp_path / "apart", "{}/run.txt")  # of nobody knows whom
    assert len(evaluate_all(GOLD, tmp_path / "apart")) == 2
    with refusing(InputError, "[duplicate]"):
        evaluate(GOLD, [str(T1 / "bm25.txt")] * 2)


def test_files_that_are_named_find_their_other_part_and_a_list_that_is_not_scored_spoils_none(call, tmp_path):
    runs, answers = ([T3 / f"{part}.{tag}" for tag in ("ALPHA", "BETA")] for part in ("task3", "answers"))
    typed = [word for file in answers for word in ("--answers", file)]
    named = done(call, "evaluate", T3 / "gold.xml", runs[0], answers[0], runs[1], answers[1])
    assert named[0] == done(call, "evaluate", T3 / "gold.xml", *runs, *typed)[0]
    for name, file in {"task3.C": runs[0], "ans.C": answers[0], "task3-L.C": runs[0]}.items():
        write({f"{tmp_path}/{name}": file.read_text().replace("ALPHA", "C")})
    board = one_step.leaderboard(T3 / "gold.xml", tmp_path, n_resamples=99)
    assert len(board.entries) == 1 and not board.invalid
    (scores,) = evaluate_all(T3 / "gold.xml", sorted(tmp_path.iterdir()))
    assert scores.measures == board.entries[0].scores.measures


@pytest.mark.parametrize("other", ["kis", "Kis (corrected)", "Re: [Submission] KIS", "ＫＩＳ", "KIS [v2]"])
def test_a_team_is_one_however_it_is_spelt(other):
    assert team_key(other) == team_key("KIS") != team_key("KIS2")


def test_a_file_is_judged_by_a_gold_of_its_task_and_by_no_other():
    cases, fragments, year = frozenset({"000001"}), frozenset({"826", "827"}), frozenset({"R01-1-A"})
    golds = Golds([
        QueryFile("1.json", cases, ("1",), True), QueryFile("2.json", fragments, ("2",), True),
        QueryFile("R08.xml", frozenset({"R08-1-A"}), ("3", "4"), True), QueryFile("R01.xml", year, ("4",), True, "R01"),
    ])  # fmt: skip
    for task, queries, files in (
        ("1", {"826"}, ["1.json"]),
        ("4", {"R01-1-A"}, ["R01.xml"]),
        ("3", {"R01-1-A"}, ["R08.xml"]),
        ("4", {"R01-1-A", "R08-1-A", "826"}, ["R08.xml", "R01.xml"]),  # of years, and not of another task
    ):
        assert [gold.file for gold in golds.judges_of((task,), queries)] == files
    assert (elsewhere := golds.of_other_task("1", fragments)) is not None and elsewhere.tasks == ("2",)


def test_two_runs_of_one_tag_have_the_same_two_names_in_every_command(call, tmp_path):
    """Numbered in the order in which they are given, whatever their paths and their places."""
    lines = (T1 / "dense.txt").read_text().splitlines()
    runs = [tmp_path / "b/run.txt", tmp_path / "a/run.txt"]
    write({str(runs[0]): "\n".join(lines), str(runs[1]): "\n".join(lines[::-1][:-40])})
    both, (one, other) = {"dense", "dense (2)"}, evaluate_all(GOLD, runs)
    assert [(one.name, one.file), (other.name, other.file)] == [("dense", str(runs[0])), ("dense (2)", str(runs[1]))]
    for words in (["evaluate"], ["evaluate", "--show", "overlap"], ["tune", "--by", "k"]):
        table = done(call, words[0], GOLD, *runs, *words[1:], "-f", "csv")[0]
        assert {row.split(",")[0] for row in table.splitlines()} & both == both, words
    apart = [evaluate(GOLD, run) for run in (*runs, T1 / "bm25.txt")]
    assert compare(apart, n_resamples=9).names == ["dense", "dense (2)", "bm25"]
    write({f"{tmp_path}/scores.csv": done(call, "evaluate", GOLD, *runs, "-q", "-f", "csv")[0]})
    assert {one.name for one in Scored.read(tmp_path / "scores.csv")} == both


def test_a_run_in_several_files_is_found_by_each_and_by_its_name(call, tmp_path):
    (one, other), log, dense = halves(tmp_path), tmp_path / "log.csv", T1 / "dense.txt"
    told = json.loads(done(call, "evaluate", GOLD, one, other, "-f", "json", "--log", log)[0])
    (run,) = told["runs"]
    assert run["files"] == [str(one), str(other)] and {*run["files"]} <= told["inputs"].keys()
    with log.open() as lines:
        (row,) = csv.DictReader(lines)
    assert row["sha256"].split(",") == [sha256(file.read_bytes()).hexdigest() for file in (one, other)]
    for baseline in (other, "dense (2)"):
        done(call, "compare", GOLD, one, other, dense, dense, "--baseline", baseline, "--resamples", "9")


def test_fuse_and_tune_take_files_of_one_run_as_one(call, tmp_path):
    (one, other), whole, dense = halves(tmp_path), T1 / "bm25.txt", T1 / "dense.txt"
    for words in (
        ["fuse", "RUNS", dense, "--weights", "2,1", "--task", "1"],
        ["fuse", "RUNS", dense, "--fit", GOLD, "-o", tmp_path / "f"],
        ["tune", GOLD, "RUNS", "--by", "k"],
    ):
        at = words.index("RUNS")
        found = [done(call, *words[:at], *runs, *words[at + 1 :])[0] for runs in ([one, other], [whole])]
        assert sorted(found[0].splitlines()) == sorted(found[1].splitlines())


# files of two years

ANSWERS = {f"{year}-0{n}-A": label for year in ("H30", "R01") for n, label in ((1, "Y"), (2, "N"))}
FORMS = {
    "json": json.dumps,
    "csv": lambda answers: "id,prediction\n" + "".join(f"{query},{label}\n" for query, label in answers.items()),
    "jsonl": lambda answers: "".join(f'{{"id": "{q}", "answer": "{label}"}}\n' for q, label in answers.items()),
}


def of_years(name="{year}.bm25", ending="json"):
    """The gold of two years, and a run of each in a file that has no run tag."""
    files = [f"{name.format(year=year)}.{ending}" for year in ("H30", "R01")]
    for year, file in zip(("H30", "R01"), files, strict=True):
        answers = {query: label for query, label in ANSWERS.items() if query.startswith(year)}
        write({file: FORMS[ending](answers)})
    write({"gold.txt": "".join(f"{query} {label}\n" for query, label in ANSWERS.items())})
    return files


@pytest.mark.parametrize("ending", FORMS)
@pytest.mark.parametrize(
    ("name", "tag"),
    [("{year}.bm25", "bm25"), ("task4_{year}_bm25", "task4-bm25"), ("bm25-{year}", "bm25"), ("bm25/{year}", "bm25")],
)
def test_files_without_a_tag_that_are_named_by_their_years_are_one_run(call, here, ending, name, tag):
    files = of_years(name, ending)
    for command in ("evaluate", "leaderboard"):
        out, err = done(call, command, "gold.txt", *files, "--task", "4", "-f", "csv")
        assert f"{tag}," in out and ",1.0" in out and "[grouped]" in err, command
    done(call, "convert", *files, "whole.jsonl", *([] if ending == "csv" else ["--tag", tag]))
    assert Path("whole.jsonl").read_text().count(f'"tag": "{tag}"') == 4
    _, *others = "gold.txt", *of_years("{year}.dense", ending)
    out, _ = done(call, "compare", "gold.txt", *files, *others, "--task", "4", "--baseline", tag, "-f", "json")
    assert [pair["names"] for pair in json.loads(out)["pairs"]] == [["dense", tag]]


@pytest.mark.parametrize("name", ["run{year}", "{year}x.bm25", "AMH{year}", "{year}.swapped"])
def test_what_is_not_the_year_of_the_questions_joins_nothing(here, name):
    first, second = map(Path, of_years(name))
    if "swapped" in name:
        first.rename("first"), second.rename(first), Path("first").rename(second)
    scored = evaluate_all("gold.txt", [first, second], task="4")
    assert [one.measures for one in scored] == [{"Accuracy": 0.5}] * 2


RECORD = '{{"query_id": "{}-01-A", "answer": "{}", "documents": ["96"], "tag": "T"}}\n'
#: files of articles and answers
OF_BOTH = {
    "in one": {"a": RECORD.format("H30", "Y"), "b": RECORD.format("R01", "N")},
    "in columns": {"a": "H30-01-A 96 T\nR01-01-A 96 T\n", "b": "H30-01-A Y T\nR01-01-A N T\n"},
    "apart": {
        f"{year}.{part}": f"{year}-01-A {text} T\n"
        for year, label in (("H30", "Y"), ("R01", "N"))
        for part, text in (("answers", label), ("articles", "Q0 96 1 1"))
    },
}  # fmt: skip


@pytest.mark.parametrize("files", OF_BOTH)
def test_articles_and_answers_in_files_for_each_part_or_year_are_one_run(call, here, files):
    pair = '<pair id="{}-01-A" label="{}"><article>96</article><t2>x</t2></pair>'
    write({"gold.xml": f"<dataset>{pair.format('H30', 'Y')}{pair.format('R01', 'N')}</dataset>"})
    write({f"in/{name}": text for name, text in OF_BOTH[files].items()})
    named = sorted(Path("in").iterdir())
    for runs in (named, named[::-1], ["in"]):
        for command in ("evaluate", "leaderboard"):
            assert "T,1.0" in done(call, command, "gold.xml", *runs, "--task", "3", "-f", "csv")[0], command
    write({"alone.txt": "H30-01-A Q0 96 1 0.5 U\n"})
    _, out, err = call("leaderboard", "gold.xml", *named, "alone.txt", "--task", "3", "-f", "csv")
    assert "T,1.0" in out and ",U," not in out and mentions(err, "alone.txt: …[incomplete]")


# several golds as one: a folder, --gold FILE, a list; and a gold that is mistaken for a run


def statute(era, label=' label="Y"', articles="<article>572</article>"):
    pairs = "".join(f'<pair id="{era}-{n}-A"{label}>{articles}</pair>\n' for n in (1, 2))
    return f"<dataset>\n{pairs}</dataset>\n"


@pytest.fixture
def years(here):
    """A folder ``train`` with two years of statute XML, beside other files; and a run over both."""
    train = here / "train"
    write({f"train/riteval_{era}.xml": statute(era) for era in ("R02", "R01")})
    write({"train/README.txt": "The training data.\n"})
    (train / ".DS_Store").write_bytes(b"\0\1")
    Path("run.txt").write_text("".join(f"{era}-{n}-A Q0 572 1 1 T\n" for era in ("R01", "R02") for n in (1, 2)))
    return train


def test_a_folder_of_golds_or_a_list_of_them_is_one_gold(years):
    gold = read_gold("train")
    assert gold.queries == ("R01-1-A", "R01-2-A", "R02-1-A", "R02-2-A")
    assert gold.labels == dict.fromkeys(gold.queries, True)
    assert (gold.path, gold.format) == ("train", "statute-xml")
    assert gold.remarks.examples("not-gold") == ("README.txt",)
    assert gold_files("train") == ["train/riteval_R01.xml", "train/riteval_R02.xml"]
    paths = ["train/riteval_R02.xml", years / "riteval_R01.xml"]
    gold = read_gold(paths)
    assert gold.queries == ("R02-1-A", "R02-2-A", "R01-1-A", "R01-2-A")
    assert gold.path == f"train/riteval_R02.xml, {years / 'riteval_R01.xml'}"
    assert gold_files(paths) == [str(path) for path in paths]
    assert evaluate(paths, "run.txt", edition=2025).queries["judged"] == 4
    assert read_gold(paths[:1]).path == paths[0]
    assert read_gold([Gold({"a": {"b": 1}}), Gold({"c": {}})]).qrels == {"a": {"b": 1}, "c": {}}
    # its golds are no submissions of it
    (years / "run.txt").write_bytes(Path("run.txt").read_bytes())
    board = one_step.leaderboard("train", "train", edition=2025, n_resamples=99)
    assert ([entry.tag for entry in board.entries], board.invalid) == (["T"], ())


RUNS = [EXAMPLES / "task1" / name for name in ("bm25.txt", "dense.txt", "rerank.json")]


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "GOLD", *RUNS, "-q", "-f", "csv"),
        ("leaderboard", "GOLD", *RUNS, "-f", "csv"),
        ("tune", "GOLD", RUNS[2], "--by", "k", "-f", "csv"),
        ("fuse", *RUNS[1:], "--fit", "GOLD", "-o", "OUT"),
    ],
)
@pytest.mark.usefixtures("one_deal")
def test_every_command_sees_the_golds_of_several_years_as_one(here, call, command):
    gold = json.loads((EXAMPLES / "task1" / "gold.json").read_text())
    option, found = "--fit" if command[0] == "fuse" else "--gold", []
    for parts in ({"whole": [*gold]}, {"a": [*gold][:17], "b": [*gold][17:30], "c": [*gold][30:]}):
        write({name: json.dumps({query: gold[query] for query in queries}) for name, queries in parts.items()})
        first, *others = parts
        words = [first if word == "GOLD" else word for word in command]
        out, _ = done(call, *words, *(word for other in others for word in (option, other)))
        found.append(Path("OUT").read_text() if "OUT" in words else out)
    assert found[0] == found[1] and len(found[0]) > 100


def test_golds_of_a_folder_are_converted_without_links_out_of_it(years, call):
    Path("secret.xml").write_text(statute("R09"))
    (years / "out.xml").symlink_to(Path("secret.xml").absolute())
    out, err = done(call, "convert", "train", "-")
    assert (out.count("\n"), out.count("R09")) == (4, 0)
    assert mentions(err, "[gold-link] 1 … (first: out.xml)")
    failing(call, "convert", "train", "-", "--to", "trec")
    failing(call, "convert", "train", "train/riteval_R01.xml")  # is read
    (years / "in.xml").symlink_to(years / "riteval_R01.xml")
    with refusing(InputError, "[duplicate]"):  # the same file twice
        read_gold("train")
    (years / "loop.xml").symlink_to(years / "loop.xml")
    for name in ("in.xml", "riteval_R01.xml", "riteval_R02.xml"):
        (years / name).unlink()
    assert mentions(failing(call, "convert", "train", "-"), "train: [empty] … out.xml …")


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (statute("R02"), statute("R02"), "a.xml"),
        (statute("R02"), statute("R03", label=""), "labels"),
        (statute("R02"), statute("R03", articles=""), "documents"),
        (statute("R02"), "R03-1-A 0 572 1\n", "form"),
        (statute("R02"), statute("R03")[:-9], ""),
        ('{"000001": ["000002"]}', '{"001": ["018"]}', "task"),
    ],
)
def test_golds_of_different_kinds_a_query_in_two_and_broken_ones_are_refused_by_name(here, first, second, what):
    write({"golds/a.xml": first, "golds/b.xml": second})
    for golds in ("golds", ["golds/a.xml", "golds/b.xml"]):
        with pytest.raises(InputError) as caught:
            read_gold(golds)
        assert caught.value.path == "golds/b.xml"
        assert what in clause(caught.value)


def test_remarks_of_golds_add_up_with_their_files_and_a_folder_without_any_is_refused(here):
    write({f"{query}.json": json.dumps({query: ["x"] * 5}) for query in "12"})
    remarks = read_gold(here).remarks
    assert remarks.count("gold-duplicate") == 8
    assert remarks.examples("gold-duplicate")[0] == "1.json, query 1: x"
    write({"notes/notes.txt": "hello\n"})
    with refusing(InputError, "notes: [empty]"):
        read_gold("notes")


def test_a_gold_and_a_run_that_are_swapped_are_asked_about(here, call):
    cases = '{"000001": ["000018"], "000002": ["000099"]}'
    for gold, run, swapped in (
        (cases, "000001 000018 T\n", True),
        ("q1 0 d1 1\n", "q1 Q0 d1 1 0.5 T\n", True),
        (cases, cases[:-1], False),
        ("q1 Q0 d1 1 0.5 T\n", "q1 Q0 d1 1 0.5 T\n", False),
    ):
        write({"gold": gold, "run": run})
        err = failing(call, "evaluate", "run", "gold")
        assert (err.count("\n"), "swap" in err) == (1, swapped)
