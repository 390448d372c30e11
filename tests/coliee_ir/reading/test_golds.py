"""Several golds as one: a folder, ``--gold FILE``, a list; and a gold that is mistaken for a run."""

import json
from pathlib import Path

import one_step
import pytest
from asserting import clause, done, failing, mentions, refusing
from example_runs import EXAMPLES
from parsed_page import data_in

from coliee_adapters.errors import InputError
from coliee_ir import Gold, evaluate, read_gold
from coliee_ir.reading.anything import gold_files


def statute(era, label=' label="Y"', articles="<article>572</article>"):
    pairs = "".join(f'<pair id="{era}-{n}-A"{label}>{articles}</pair>\n' for n in (1, 2))
    return f"<dataset>\n{pairs}</dataset>\n"


@pytest.fixture
def years(here):
    """A folder ``train`` with two years of statute XML, beside other files; and a run over both."""
    train = here / "train"
    train.mkdir()
    for era in ("R02", "R01"):
        (train / f"riteval_{era}.xml").write_text(statute(era))
    (train / "README.txt").write_text("The training data.\n")
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


def numbers(tree):
    """What JSON holds besides names of files, and what is said of them."""
    if isinstance(tree, dict):
        return {name: numbers(part) for name, part in tree.items() if name not in ("gold", "inputs", "details")
                and "remark" not in name}  # fmt: skip
    return [numbers(part) for part in tree] if isinstance(tree, list) else tree


RUNS = [EXAMPLES / "task1" / name for name in ("bm25.txt", "dense.txt", "rerank.json")]


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "GOLD", *RUNS, "-q", "-f", "json"),
        ("leaderboard", "GOLD", *RUNS, "-f", "json"),
        ("tune", "GOLD", RUNS[2], "--by", "k", "-f", "json"),
        ("fuse", *RUNS[1:], "--fit", "GOLD", "-o", "run.txt", "--save", "OUT"),
        ("report", "GOLD", *RUNS[1:], "-o", "OUT"),
    ],
)
@pytest.mark.usefixtures("one_deal")
def test_every_command_sees_the_golds_of_several_years_as_one(here, call, command):
    gold = json.loads((EXAMPLES / "task1" / "gold.json").read_text())
    option, found = "--fit" if command[0] == "fuse" else "--gold", []
    for parts in ({"whole": [*gold]}, {"a": [*gold][:17], "b": [*gold][17:30], "c": [*gold][30:]}):
        for name, queries in parts.items():
            Path(name).write_text(json.dumps({query: gold[query] for query in queries}))
        first, *others = parts
        words = [first if word == "GOLD" else word for word in command]
        out, _ = done(call, *words, *(word for other in others for word in (option, other)))
        out = Path("OUT").read_text() if "OUT" in words else out
        found.append(numbers(data_in(out, "details") if command[0] == "report" else json.loads(out)))
    assert found[0] == found[1] and len(str(found[0])) > 500


def test_golds_of_a_folder_are_converted_without_links_out_of_it(years, call):
    Path("secret.xml").write_text(statute("R09"))
    (years / "out.xml").symlink_to(Path("secret.xml").absolute())
    out, err = done(call, "convert", "train", "-")
    assert (out.count("\n"), out.count("R09")) == (4, 0)
    assert mentions(err, "[gold-link] 1 … (first: out.xml)")
    failing(call, "convert", "train", "-", "--to", "trec")
    failing(call, "convert", "train", "train/riteval_R01.xml")  # is read
    (years / "in.xml").symlink_to(years / "riteval_R01.xml")
    (years / "loop.xml").symlink_to(years / "loop.xml")
    (years / "more").mkdir()
    with refusing(InputError, "[duplicate]"):  # the same file twice
        read_gold("train")
    (years / "in.xml").unlink()
    remarks = read_gold("train").remarks
    assert (remarks.examples("gold-link"), remarks.count("not-gold")) == (("out.xml",), 3)
    for name in ("riteval_R01.xml", "riteval_R02.xml"):
        (years / name).unlink()
    assert mentions(failing(call, "convert", "train", "-"), "train: [empty] … out.xml …")


def of_task(task, name):
    return f"<COLIEE task='{task}'><instance id='{task}'><{name}>3</{name}></instance></COLIEE>"


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (statute("R02"), statute("R02"), "a.xml"),
        (statute("R02"), statute("R03", label=""), "labels"),
        (statute("R02"), statute("R03", articles=""), "documents"),
        (statute("R02"), "R03-1-A 0 572 1\n", "form"),
        (statute("R02"), statute("R03")[:-9], ""),
        (statute("R02"), "", ""),
        (of_task("1", "cases_noticed"), of_task("2", "entailing_paragraphs"), "task"),
        ('{"000001": ["000002"]}', '{"001": ["018"]}', "task"),
    ],
)
def test_golds_of_different_kinds_a_query_in_two_and_broken_ones_are_refused_by_name(here, first, second, what):
    Path("golds").mkdir()
    Path("golds/a.xml").write_text(first)
    Path("golds/b.xml").write_text(second)
    for golds in ("golds", ["golds/a.xml", "golds/b.xml"]):
        with pytest.raises(InputError) as caught:
            read_gold(golds)
        assert caught.value.path == "golds/b.xml"
        assert what in clause(caught.value)


def test_remarks_of_golds_add_up_with_their_files_and_a_folder_without_any_is_refused(here):
    for name, query in (("a.json", "1"), ("b.json", "2")):
        Path(name).write_text(json.dumps({query: ["x", "x", "x", "x", "x"]}))
    remarks = read_gold(here).remarks
    assert remarks.count("gold-duplicate") == 8
    assert remarks.examples("gold-duplicate")[0] == "a.json, query 1: x"
    Path("notes").mkdir()
    Path("notes/notes.txt").write_text("hello\n")
    with refusing(InputError, "notes: [empty]"):
        read_gold("notes")


def test_a_gold_and_a_run_that_are_swapped_are_asked_about(here, call):
    cases = '{"000001": ["000018"], "000002": ["000099"]}'
    for gold, run, swapped in (
        (cases, "000001 000018 T\n", True),
        (cases, '{"000001": {"000018": 0.5}}', True),
        ("q1 0 d1 1\n", "q1 Q0 d1 1 0.5 T\n", True),
        (cases, cases[:-1], False),
        ("q1 Q0 d1 1 0.5 T\n", "q1 Q0 d1 1 0.5 T\n", False),
    ):
        Path("gold").write_text(gold)
        Path("run").write_text(run)
        err = failing(call, "evaluate", "run", "gold")
        assert (err.count("\n"), "swap" in err) == (1, swapped)
