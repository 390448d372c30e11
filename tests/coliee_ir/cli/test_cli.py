import contextlib
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from asserting import begins, done, forms_of, matches, mentions
from example_runs import EXAMPLES, shown

import coliee_ir
from coliee_adapters import trec_eval
from coliee_adapters.forms.detect import known_forms
from coliee_adapters.forms.vocabulary import GoldOrRun
from coliee_adapters.ir_measures import NAMES
from coliee_ir import Decisions, cli, types
from coliee_ir.cli.options import OPTIONS
from coliee_ir.commands import convert, fuse, leaderboard, tune
from coliee_ir.measures import everything
from coliee_ir.rules.choices import TASKS
from coliee_ir.scoring.output import ScoreTable

pytestmark = pytest.mark.usefixtures("one_deal")

FORMS = forms_of(ScoreTable)
PROGRAM = [sys.executable, "-m", "coliee_ir"]


def test_a_decision_on_the_order_holds_where_a_run_is_cut_and_a_run_that_is_named_as_the_gold_is_told(call, here):
    Path("run").write_text("q1 Q0 a 1 1.0 T\nq1 Q0 b 2 0.5 T\n")
    out, _ = done(call, "cut", "run", "--by", "k=1", "--decision", "order=ascending", "--to", "trec", "-o", "-")
    assert out == "q1 Q0 b 1 -0.5 T\n"
    for first, other in (("a.json", "gold.json"), ("gold.json", "a.json")):
        Path(first).write_text('{"1": ["2"], "3": ["4"]}')
        Path(other).write_text('{"1": ["2"], "3": ["5"]}')
        assert mentions(done(call, "evaluate", first, other, "--task", "1")[1], "[swapped]") == (first == "a.json")


def test_labels_beside_a_run_are_tuned_with_it(call):
    gold, run = (str(EXAMPLES / "task3" / name) for name in ("gold.xml", "task3.ALPHA"))
    typed = ("tune", gold, run, "-m", "Accuracy", "--folds", "2", "-f", "json")
    told = json.loads(done(call, *typed, "--answers", str(EXAMPLES / "task3/answers.ALPHA"))[0])
    assert [one["measure"] for one in told["tunings"]] == ["Accuracy"]


def test_the_json_contract_has_these_keys(call):
    typed = ["evaluate", *shown("3"), "--edition", "2026", "-f", "json"]
    whole, of_queries = (json.loads(call(*typed, *more)[1]) for more in ([], ["-q"]))
    run, of_2025 = whole["runs"][1], json.loads(call("evaluate", *shown("3 of 2025"), "-f", "json")[1])["runs"][0]
    keys = ["tag", "name", "file", "answers", "measures", "counts", "queries", "remarks", "remark_kinds"]
    assert list(whole) == ["coliee_ir", "trec_eval", "task", "edition", "gold", "inputs", "decisions", "runs"]
    assert list(run) == keys
    assert list(of_queries["runs"][1]) == [*keys[:7], "per_query", "unanswered", *keys[7:]]
    assert list(of_2025) == [*keys[:3], "long_list", *keys[4:]]
    assert list(run["measures"]) == ["Accuracy", "LabelAccuracy", "MacroF2", "MacroP", "MacroR"]
    assert list(run["counts"]) == ["correct", "retrieved", "relevant"]
    assert list(run["queries"]) == ["judged", "answered", "unanswered", "extra"]
    gold, _, file, _, _, _, answers = shown("3")
    assert [whole["coliee_ir"], whole["trec_eval"]] == [coliee_ir.__version__, trec_eval.version()]
    assert [whole[key] for key in ("task", "edition", "gold")] == ["3", 2026, gold]
    assert [run["tag"], run["file"], run["answers"]] == ["BETA", file, answers]
    assert of_2025["long_list"] == shown("3 of 2025")[6]


def test_what_was_judged_is_said_on_standard_error(call):
    _, err = done(call, "evaluate", *shown("1"))
    assert mentions(err, "dense: 40 queries: 37 answered, 3 unanswered\n")
    assert begins(err.splitlines()[-1], "all runs: [gold-duplicate] ignored 1 …")
    gold, run, *_ = shown("5")
    excluded = Path(gold).read_text().split()[0]
    _, err = done(call, "evaluate", gold, run, "--task", "5", "--exclude", excluded)
    assert matches(err.splitlines()[0], "task 5 … 2021 …, 1 excluded")
    _, err = done(call, "evaluate", *shown("trec")[:2], "--timing")
    assert matches(err.splitlines()[0], "task trec (…)")
    timing, resource = json.loads(err.splitlines()[-1]), pytest.importorskip("resource")  # which Windows lacks
    assert timing["lines_per_second"] == pytest.approx(timing["lines"] / timing["total"], rel=0.05)
    used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    assert timing["peak_mib"] == pytest.approx(used / (1 << 10 if sys.platform != "darwin" else 1 << 20), abs=2)


def test_of_many_runs_what_was_judged_is_said_once_a_kind(case_law, call):
    for n in range(9):
        Path(f"r{n}").write_text(f"000001 000{n:03} r{n}\n" + "000002 000099 r8\n000003 000007 r8\n" * (n == 8))
    _, err = done(call, "evaluate", "gold.json", *(f"r{n}" for n in range(9)), "--task", "1")
    assert "8 runs (r0, r1, r2, r3, r4, r5 and 2 more): 3 queries: 1 answered, 2 unanswered\n" in err
    assert "1 run without a remark\n" in err


def test_a_terminal_has_a_table_with_lines_and_nothing_that_standard_error_says(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    for words, cell in ((shown("1"), "│  0.2453 │"), ([*shown("trec")[:2], "-q"], "│ q17 ")):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        out, err = done(call, "evaluate", *words)
        assert cell in out and "answered" in err and "answered" not in out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="Windows has no pseudo-terminal")
def test_what_takes_long_is_shown_on_a_terminal_and_only_there():
    ours, theirs = os.openpty()
    gold, last, first, _ = shown("1")
    typed = [*PROGRAM, "evaluate", gold, first, "-", "--task", "1"]
    pair = [
        subprocess.Popen(typed, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        for stderr in (subprocess.PIPE, theirs)
    ]
    os.close(theirs)
    heard = b""
    while b", 1 of 2, " not in heard and heard.count(b" s") < 60:  # then both wait for the second run
        heard += os.read(ours, 1000)
    assert re.search(rb"coliee-ir evaluate: \d+ s, 1 of 2, \d+ s left", heard)
    (result, said), (table, _) = (one.communicate(Path(last).read_bytes()) for one in pair)
    with contextlib.suppress(OSError):  # as Linux says that nobody is at the other end
        while piece := os.read(ours, 1000):
            heard += piece
    os.close(ours)
    assert result == table
    assert [one.returncode for one in pair] == [0, 0]
    lines = heard.replace(b"\r\n", b"\n").split(b"\n")
    assert [line.rpartition(b"\r")[2] for line in lines] == said.split(b"\n")  # nothing is left of it


# options

GOLD = {"000001": ["000018", "000203"], "000002": ["000099"], "000003": ["000007"]}


@pytest.fixture
def case_law(here):
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("run.txt").write_text("000001 000018 T\n000001 000999 T\n000002 000099 T\n")


@pytest.fixture
def scored(case_law, call):
    """The JSON of the run's scores, and what is said beside it."""

    def run(*options):
        out, err = done(call, "evaluate", "gold.json", "run.txt", "--task", "1", *options, "-f", "json")
        return json.loads(out), err

    return run


@pytest.mark.parametrize(
    "ids",
    ["000001,000003" + 400 * ",000001", "000001.txt 000003", "# not scored\n000001\n\n000003.txt\n",
     "000001 000018 T\n000003 000018 T\n", "query_id,fold\n000001,1\n000003,1\n",
     '{"000001": ["000018"], "000003": ["000007"]}', '["000001.txt", "000003.txt"]'],
)  # fmt: skip
def test_queries_are_chosen_by_ids_and_by_files_that_name_them(ids, scored):
    if "\n" in ids or '"' in ids:
        Path("ids").write_text(ids)
        ids = "ids"
    without, err = scored("--exclude", ids)
    assert without["excluded"] == ["000001", "000003"]
    assert "2 excluded" in err
    assert "1 query: 1 answered" in err
    alone, _ = scored("--only", ids)
    assert alone["excluded"] == ["000002"]
    assert alone == scored("--exclude", "000002")[0]
    assert alone["runs"][0]["counts"] == {"correct": 1, "retrieved": 2, "relevant": 3}
    assert alone["runs"][0]["queries"]["extra"] == 0
    both, err = scored("--only", "000001,000002", "--exclude", "000001")
    assert both["excluded"] == ["000001", "000003"]
    assert "--only" not in err
    Path("run.txt").write_text("000001 000018 T\n")
    assert "--only" in scored()[1]  # most are unanswered


@pytest.mark.parametrize(
    ("command", "more"),
    [("compare", "--resamples"), ("leaderboard", "--resamples"), ("tune", "--folds"), ("fuse", "--folds")],
)
def test_every_command_scores_a_split(command, more, here, call):
    gold = {f"00000{n}": ["000018"] for n in range(1, 8)}
    Path("gold.json").write_text(json.dumps(gold))
    for worst in (0.1, 0.2):
        run = {query: {"000018": 0.9, "000019": worst} for query in list(gold)[:4]}
        Path(f"{worst}.json").write_text(json.dumps(run))
    first = (
        ["0.1.json", "0.2.json", "--fit", "gold.json"] if command == "fuse" else ["gold.json", "0.1.json", "0.2.json"]
    )
    _, err = done(call, command, *first, "--only", ",".join(run), "--task", "1", "-o", "out", more, "2")
    assert "4 queries" in err
    assert "7 queries" not in err


def test_measures_and_decisions_are_those_asked_for(scored):
    typed = ["-m", "MicroP", "-m", "MacroF(beta=2, of=means)  MicroR@1", "-m", "P.1,2"]
    measures = scored(*typed)[0]["runs"][0]["measures"]
    assert [*measures.items()] == [
        ("MicroP", pytest.approx(2 / 3)), ("MacroF(beta=2,of=means)", 0.5), ("MicroR@1", 0.5),
        ("P_1", pytest.approx(2 / 3)), ("P_2", pytest.approx(1 / 3)),
    ]  # fmt: skip
    found, _ = scored("-m", "MacroP", "--decision", "unanswered=skip")
    assert found["runs"][0]["measures"] == {"MacroP": 0.75}
    assert found["decisions"] == {**Decisions().to_dict(), "unanswered": "skip"}


def test_measures_lists_all_there_are_and_explains_those_that_are_named(call):
    out, err = done(call, "measures")
    measures, notes = out.split("\n\n")
    assert [line.split()[0] for line in measures.splitlines()] == [description.name for description in everything()]
    assert [line.split()[0] for line in notes.splitlines()] == ["Ours", "trec_eval's", "ir_measures'"]
    assert f" {', '.join(NAMES)}, " in notes
    assert (err, "``" in out, min(len(line.split()) for line in measures.splitlines()) > 2) == ("", False, True)
    parts = {
        "MicroF1": ["MicroF1\n", "ranks Tasks 1 and 2", "formula:  (1+β²)", "source:", "computed: …"],
        "MacroF(beta=2,of=means)": ["MacroF(beta=2,of=means)\n", "some teams compute"],
        "map": ["map\n", "Average precision", f"… {trec_eval.version()} …"],
        "P.5,10": ["P_5\n", "P_10\n"],
        "RationaleF1": ["F1 of the True class", "undefined="],
    }
    for name, expected in parts.items():
        out, _ = done(call, "measures", name)
        assert all(mentions(out, part) for part in expected)
        assert max(map(len, out.splitlines())) <= 121


def test_the_demo_scores_every_task_and_says_what_to_type(call):
    out, err = done(call, "demo")
    assert "[duplicate]" in err and err.count("task 1 by the rules") == err.count("by the rules")  # where it teaches
    assert out.endswith("-o report.html\n") and out.count("coliee-ir report ") == 1
    assert {re.match(r"── Task (\w+)", line)[1] for line in out.splitlines() if line.startswith("──")} == set(TASKS)
    assert out.count("\n── Task ") == out.count("\n$ coliee-ir evaluate ") == len(TASKS) + 1  # Task 3 as of 2025, too
    for measure in ("MicroF1", "MacroF2", "LabelAccuracy", "RationaleF1", "ndcg_cut_10", "MicroR@30"):
        assert measure in out
    out, _ = done(call, "demo", "--task", "2")
    assert out.count("── Task ") == out.count("── Task 2") == 1
    folder, typed, *_ = [line for line in out.splitlines() if line.startswith("$ ")]
    with contextlib.chdir(folder.removeprefix("$ cd ")):
        assert done(call, *typed.split()[2:])[0] in out
        assert not done(call, "demo", "--task", "2")[0].startswith("$ cd")  # where the reader is


def test_the_demo_copies_its_files_and_writes_over_none(here, call):
    done(call, "demo", "-o", "new", "--task", "1")
    assert [path.name for path in Path("new").iterdir()] == ["task1"]
    Path("new/task1/gold.json").write_text("{}")
    assert call("demo", "-o", "new", "--task", "1")[0] == 2
    assert Path("new/task1/gold.json").read_text() == "{}"
    assert done(call, "demo", "-o", "all")[0] == ""
    copied = {path.relative_to("all") for path in Path("all").rglob("*") if path.is_file()}
    assert copied == {path.relative_to(EXAMPLES) for path in EXAMPLES.glob("*[!_]/*")}


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_help_that_ends_with_an_example(command, call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out, _ = done(call, command, "--help")
    assert cli.COMMANDS[command][1:] in out
    assert f"\n  {command} " in done(call, "--help")[0]
    *_, last = out.splitlines()
    example, *typed = shlex.split(last)
    assert [example, *typed[:2]] == ["example:", "coliee-ir", command]
    cli.parser_of(command).parse_args(typed[2:])  # as it is
    first, blank, *lines = cli.parser_of(command).format_help().splitlines()
    assert first.startswith(f"usage: coliee-ir {command} [OPTIONS]")
    assert not blank
    headings = [line for line in lines if re.fullmatch("[a-zA-Z ]+:", line)]
    assert headings == [name for name in ("Input:", "Rules:", "Output:", "Running:", "Expert:") if name in headings]
    assert max(map(len, lines[:-1])) <= 110
    if command == "evaluate":
        assert (first, len(lines) <= 60) == ("usage: coliee-ir evaluate [OPTIONS] GOLD RUN…", True)


def test_options_are_few_and_mean_the_same_in_every_command(call):
    assert call("--version") == (0, f"coliee-ir {coliee_ir.__version__}\n", "")
    distinct = set()
    for command in cli.COMMANDS:
        parser = cli.parser_of(command)
        assert all(action.help for action in parser._actions)
        shown = {action.dest: tuple(action.option_strings) for action in parser._actions if action.option_strings}
        assert shown == {name: OPTIONS[name].flags for name in shown}
        distinct |= shown.keys()
    assert {name for name, option in OPTIONS.items() if option.flags} == distinct
    files = {  # which are read or written
        name for name, option in OPTIONS.items()
        if option.flags and option.settings.get("metavar") in ("FILE", "DIR", "CSV", "OUT", "RUN", "GOLD")
    }  # fmt: skip
    assert [name for name in files if not (OPTIONS[name].reads or OPTIONS[name].writes)] == []
    assert {"output", "log", "save"} <= {name for name in files if OPTIONS[name].writes}


def test_an_option_offers_what_there_is(call):
    """In modules that help does not load."""
    can_be_cut = (name for name, form in convert.RUN_TARGETS.items()
                  if "documents" in form.can_write and not form.uses_template)  # fmt: skip
    offered = {
        "leaderboard -f": forms_of(types.Leaderboard),
        "leaderboard --table": leaderboard.TABLES,
        "evaluate -f": FORMS,
        "convert --from": dict.fromkeys(one.name for kind in get_args(GoldOrRun) for one in known_forms(kind)),
        "convert --to": dict.fromkeys((*convert.GOLD_TARGETS, *convert.RUN_TARGETS, "statements")),
        "convert --aggregate": (*convert.AGGREGATES, "vote"),
        "cut --to": can_be_cut,
        "fuse --to": convert.RUN_TARGETS,
        "fuse --method": fuse.METHODS,
        "fuse --norm": fuse.NORMS,
    }
    for typed, names in offered.items():
        command, option = typed.split()
        assert list(cli.parser_of(command)._option_string_actions[option].choices) == list(names), typed
    for command in ("cut", "tune"):
        assert ", ".join(tune.FAMILIES) in " ".join(call(command, "--help")[1].split())


def test_the_form_follows_the_ending_of_the_file(case_law, call):
    def written(name, *more):
        done(call, "evaluate", "gold.json", "run.txt", "-o", name, *more)
        return (gzip.decompress if name.endswith(".gz") else bytes)(Path(name).read_bytes()).decode()

    forms = {
        "o.json": "json", "o.jsonl": "jsonl", "o.csv": "csv", "o.CSV.gz": "csv", "o.tsv": "tsv", "o.md": "markdown",
        "o.tex": "latex", "o.txt": "table", "o.run": "table", "o": "table",
    }  # fmt: skip
    for name, form in forms.items():
        assert written(name) == done(call, "evaluate", "gold.json", "run.txt", "-f", form)[0]
        assert "\t" in written(name, "-f", "tsv")


# what a terminal, a pipe and a platform lack


def test_a_file_name_that_is_no_text_is_shown_with_escapes(case_law):
    name = os.fsdecode(b"r\xe9sum\xe9")
    Path("run.txt").rename(name)
    out = subprocess.run(
        [*PROGRAM, "evaluate", "gold.json", name, "-f", "json"], capture_output=True, check=True
    ).stdout
    assert json.loads(out)["runs"][0]["file"] == name


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_pipe_gets_utf_8_whatever_the_locale_and_a_terminal_escapes(form, here):
    Path("gold").write_text("問1 0 d 1\n", encoding="utf-8")
    Path("run").write_text("問1 Q0 d 1 1 T\n", encoding="utf-8")
    typed = [*PROGRAM, "evaluate", "gold", "run", "-q", "-f", form, "-m", "map"]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    piped = subprocess.run(typed, env=ascii_only, capture_output=True, check=True).stdout
    assert "問1" in piped.decode("utf-8")
    assert b"\\u554f" not in piped
    if hasattr(os, "openpty"):
        ours, theirs = os.openpty()
        subprocess.run(typed, env=ascii_only, stdout=theirs, stderr=subprocess.PIPE, check=True)
        assert b"\\u554f1" in os.read(ours, 65536)
        os.close(theirs)
        os.close(ours)


def test_lines_end_alike_on_all_platforms(here, monkeypatch):
    Path("gold").write_text(json.dumps(GOLD))
    Path("run").write_text("000001 000018 T\n")
    for command in (("evaluate", "gold", "run"), ("convert", "run", "-"), ("convert", "gold", "-", "--to", "json")):
        raw = io.BytesIO()
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="utf-8", newline="\r\n"))  # as on Windows
        assert cli.main(list(command)) == 0
        assert b"\n" in raw.getvalue()
        assert b"\r" not in raw.getvalue()


# what is loaded

#: What scoring a plain run by official measures does without, and what takes long to load.
NOT_FOR_SCORES = {
    *("numpy.ma", "statistics", "multiprocessing", "concurrent.futures", "importlib.metadata", "hashlib"),
    *("tarfile", "zipfile", "tempfile", "random", "threading", "pyexpat", "html", "difflib", "shlex"),
    *("pandas", "polars", "pyarrow", "scipy", "altair", "jinja2", "ir_measures", "fsspec", "distributed", "yaml"),
}
PLAIN = ("evaluate", "task1/gold.json", "task1/bm25.txt")


def printed_by(code, **options):
    """The words of the last line that a program prints."""
    options |= {"cwd": EXAMPLES, "capture_output": True, "text": True, "check": True}
    return subprocess.run([sys.executable, "-c", code], **options).stdout.splitlines()[-1].split()


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_a_command_starts_no_thread_of_blas_and_loads_only_what_it_needs():
    code = (
        f"import atexit, os, sys; sys.argv[1:] = {list(PLAIN)};"
        "atexit.register(lambda: print(len(os.listdir('/proc/self/task')), *sys.modules));"
        "from coliee_ir.__main__ import run; run()"
    )
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    threads, *loaded = printed_by(code, env=environment)
    assert (threads, "numpy" in loaded, NOT_FOR_SCORES & set(loaded)) == ("1", True, set())


def test_help_the_version_and_a_mistyped_option_load_what_they_show_and_no_rules():
    of_commands = [[name, word] for name in cli.COMMANDS for word in ("-h", "--foo")]
    code = (
        "import contextlib, sys; from coliee_ir import cli\n"
        f"for typed in {[['--version'], ['--help'], ['evalute'], *of_commands]}:\n"
        "    with contextlib.suppress(SystemExit): cli.main(typed)\n"
        "print(*sys.modules)"
    )
    not_for_help = {"numpy", "pytrec_eval", "tomllib", "dataclasses", *NOT_FOR_SCORES - {"difflib"}}
    assert not not_for_help & set(printed_by(code))
