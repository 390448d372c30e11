import contextlib
import csv
import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from asserting import begins, done, failing, forms_of, matches, mentions
from example_runs import EXAMPLES, shown

import coliee_ir
from coliee_adapters import trec_eval
from coliee_adapters.forms.detect import known_forms
from coliee_adapters.forms.vocabulary import GoldOrRun
from coliee_adapters.ir_measures import NAMES
from coliee_ir import Decisions, cli
from coliee_ir.cli import demo
from coliee_ir.cli.options import OPTIONS
from coliee_ir.commands import convert as conversion
from coliee_ir.commands import fuse as fusion
from coliee_ir.commands import leaderboard
from coliee_ir.commands import tune as cutoffs
from coliee_ir.commands.compare import Comparison
from coliee_ir.commands.leaderboard import Leaderboard
from coliee_ir.commands.plan import Plan
from coliee_ir.commands.tune import Tuning
from coliee_ir.commands.validate import Validation
from coliee_ir.measures import everything
from coliee_ir.output.rendering import render
from coliee_ir.rules.choices import TASKS
from coliee_ir.scoring.output import ScoreTable

pytestmark = pytest.mark.usefixtures("one_deal")

FORMS = forms_of(ScoreTable)


def in_process(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "coliee_ir", *arguments], capture_output=True, check=False, **options)


@pytest.mark.parametrize("per_query", [False, True])
def test_every_form_is_that_of_the_table_of_scores(per_query, call):
    gold, *runs = shown("1")
    table = ScoreTable(coliee_ir.evaluate_all(gold, runs), per_query=per_query)
    for form in {*FORMS} - {"json", "jsonl"}:  # which name the inputs
        assert done(call, "evaluate", *shown("1"), *["-q"] * per_query, "-f", form)[0] == render(table, form)


def test_the_json_contract_has_these_keys(call):
    typed = ["evaluate", *shown("3"), "--edition", "2026", "-f", "json"]
    plain, with_queries = call(*typed)[1], call(*typed, "-q")[1]
    whole, run = json.loads(plain), json.loads(plain)["runs"][1]
    assert list(whole) == ["coliee_ir", "trec_eval", "task", "edition", "gold", "inputs", "decisions", "runs"]
    assert list(run) == ["tag", "name", "file", "answers", "measures", "counts", "queries", "remarks", "remark_kinds"]
    assert list(json.loads(with_queries)["runs"][1]) == [
        *list(run)[:7], "per_query", "unanswered", "remarks", "remark_kinds"
    ]  # fmt: skip
    assert run["answers"] == str(EXAMPLES / "task3/answers.BETA")
    assert list(run["measures"]) == ["Accuracy", "LabelAccuracy", "MacroF2", "MacroP", "MacroR"]
    assert list(run["counts"]) == ["correct", "retrieved", "relevant"]
    assert list(run["queries"]) == ["judged", "answered", "unanswered", "extra"]
    assert whole["decisions"] == Decisions().to_dict()
    assert (whole["coliee_ir"], whole["trec_eval"]) == (coliee_ir.__version__, trec_eval.version())
    assert (whole["task"], whole["edition"], whole["gold"]) == ("3", 2026, str(EXAMPLES / "task3/gold.xml"))
    assert (run["tag"], run["file"]) == ("BETA", str(EXAMPLES / "task3/task3.BETA"))
    assert all(isinstance(remark, str) for remark in run["remarks"])
    run = json.loads(call("evaluate", *shown("3 of 2025"), "-f", "json")[1])["runs"][0]
    assert list(run) == ["tag", "name", "file", "long_list", "measures", "counts", "queries", "remarks", "remark_kinds"]
    assert run["long_list"] == str(EXAMPLES / "task3-2025/task3-L.ALPHA")


def test_what_was_judged_is_said_on_standard_error(call):
    _, err = done(call, "evaluate", *shown("1"))
    assert mentions(err, "dense: 40 queries: 37 answered, 3 unanswered\n")
    assert begins(err.splitlines()[-1], "all runs: [gold-duplicate] ignored 1 …")
    given = (EXAMPLES / "task5/gold.txt", EXAMPLES / "task5/ALPHA.txt", "--task", "5")
    excluded = Path(given[0]).read_text().split()[0]
    assert matches(call("evaluate", *given, "--exclude", excluded)[2].splitlines()[0], "task 5 … 2021 …, 1 excluded")
    assert matches(call("evaluate", *shown("trec")[:2])[2].splitlines()[0], "task trec (…)")


def test_a_terminal_has_a_table_with_lines_and_nothing_that_standard_error_says(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    for words, cell in ((shown("1"), "│  0.2453 │"), ([*shown("trec")[:2], "-q"], "│ q17 ")):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        out, err = done(call, "evaluate", *words)
        assert cell in out and "answered" in err and "answered" not in out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="Windows has no pseudo-terminal")
def test_what_takes_long_is_shown_on_a_terminal_and_only_there():
    typed = [sys.executable, "-m", "coliee_ir", "evaluate", "-", EXAMPLES / "task1/bm25.txt"]
    started = []
    for ending in (None, signal.SIGINT):  # which wait together
        ours, theirs = os.openpty()
        pair = [
            subprocess.Popen(typed, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
            for stderr in (subprocess.PIPE, theirs)
        ]
        os.close(theirs)
        started.append((ending, ours, pair))
    for ending, ours, pair in started:
        heard = b""
        while heard.count(b" s") < 2:  # both wait for the gold
            heard += os.read(ours, 1000)
        assert b"evaluate: 2 s" in heard
        for process in pair if ending else ():
            process.send_signal(signal.SIGINT)
        gold = (EXAMPLES / "task1/gold.json").read_bytes()
        (result, said), (table, _) = (one.communicate(None if ending else gold) for one in pair)
        with contextlib.suppress(OSError):  # as Linux says that nobody is at the other end
            while piece := os.read(ours, 1000):
                heard += piece
        os.close(ours)
        assert result == table
        assert [one.returncode for one in pair] == ([130, 130] if ending else [0, 0])
        lines = heard.replace(b"\r\n", b"\n").split(b"\n")
        assert [line.rpartition(b"\r")[2] for line in lines] == said.split(b"\n")  # nothing is left of it


# options

GOLD = {"000001": ["000018", "000203"], "000002": ["000099"], "000003": ["000007"]}


@pytest.fixture
def case_law(here):
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("run.txt").write_text("000001 000018 T\n000001 000999 T\n000002 000099 T\n")
    return here


def values(out):
    return [float(cell) for cell in list(csv.reader(io.StringIO(out)))[-1][1:]]


@pytest.mark.parametrize("ids", ["000001,000003" + 400 * ",000001", "000001.txt 000003", "ids.txt"])
def test_excluded_ids_come_from_the_option_or_from_a_file(ids, case_law, call):
    Path("ids.txt").write_text("# not scored\n000001\n\n000003.txt\n")
    code, out, err = call("evaluate", "gold.json", "run.txt", "--task", "1", "--exclude", ids, "-f", "csv")
    assert (code, values(out)) == (0, [1, 1, 1])
    assert "1 query: 1 answered" in err
    assert "2 excluded" in err


SPLIT = {
    "ids": "000001\n000003\n",
    "first column": "000001 0 \n000003 0\n",
    "run": "000001 000018 T\n000003 000018 T\n",
    "one line": "000001, 000003\n",
    "header": "query_id,fold\n000001,1\n000003,1\n",
    "gold": '{"000001": ["000018"], "000003": ["000007"]}',
    "test file": '["000001.txt", "000003.txt"]',
}


@pytest.mark.parametrize("form", SPLIT)
def test_only_the_queries_of_a_file_are_scored(form, case_law, call):
    Path("split").write_text(SPLIT[form])
    out, err = done(call, "evaluate", "gold.json", "run.txt", "--task", "1", "--only", "split", "-f", "json")
    document = json.loads(out)
    assert document["excluded"] == ["000002"]
    [run] = document["runs"]
    assert (run["counts"], run["queries"]["extra"]) == ({"correct": 1, "retrieved": 2, "relevant": 3}, 0)
    _, excluded, _ = call("evaluate", "gold.json", "run.txt", "--task", "1", "--exclude", "000002", "-f", "json")
    assert json.loads(excluded) == document
    given = ("evaluate", "gold.json", "run.txt", "--task", "1", "-f", "json", "--only", "000001,000002")
    _, both, err = call(*given, "--exclude", "000001")
    assert (json.loads(both)["excluded"], "--only" in err) == (["000001", "000003"], False)
    Path("run.txt").write_text("000001 000018 T\n")
    assert "--only" in call("evaluate", "gold.json", "run.txt", "--task", "1")[2]


@pytest.mark.parametrize("command", ["compare", "leaderboard", "tune", "fuse"])
def test_every_command_scores_a_split(command, tmp_path, call):
    gold = {f"00000{n}": ["000018"] for n in range(1, 8)}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    runs = [tmp_path / "a.json", tmp_path / "b.json"]
    for worst, path in zip((0.1, 0.2), runs, strict=True):
        path.write_text(json.dumps({query: {"000018": 0.9, "000019": worst} for query in list(gold)[:4]}))
    split = ("--only", ",".join(list(gold)[:4]), "--task", "1", "-o", tmp_path / "out")
    first = {"fuse": [*runs, "--fit", tmp_path / "gold.json"]}.get(command, [tmp_path / "gold.json", *runs])
    more = {"compare": ["--resamples", "9"], "leaderboard": ["--resamples", "9"]}
    _, err = done(call, command, *first, *split, *more.get(command, ["--folds", "2"]))
    assert "4 queries" in err
    assert "7 queries" not in err


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["-m", "MicroP", "-m", "MicroR@1 MicroR"], {"MicroP": 2 / 3, "MicroR@1": 2 / 4, "MicroR": 2 / 4}),
        (["-m", "MacroF(beta=2, of=means)  MicroP(rel = 1)@1"], {"MacroF(beta=2,of=means)": 0.5, "MicroP@1": 1}),
        (["-m", "P(rel=1, judged_only=True)@1"], {"P(rel=1, judged_only=True)@1": 2 / 3}),
        (["-m", "P.1,2"], {"P_1": 2 / 3, "P_2": 1 / 3}),
        (["-m", "MacroP", "--decision", "unanswered=skip"], {"MacroP": 3 / 4}),
    ],
)
def test_measures_are_those_asked_for(options, wanted, case_law, call):
    out, _ = done(call, "evaluate", "gold.json", "run.txt", *options, "-f", "json")
    assert json.loads(out)["runs"][0]["measures"] == pytest.approx(wanted)
    changed = {"unanswered": "skip"} if "--decision" in options else {}
    assert json.loads(out)["decisions"] == {**Decisions().to_dict(), **changed}


@pytest.mark.parametrize("words", [[], ["score"], ["evaluate"], ["evaluate", "gold.json"], ["convert", "x"]])
def test_a_command_that_is_not_complete_is_told_of_help(words, call):
    assert failing(call, *words).rstrip().removesuffix(" [usage]").endswith("--help")


def test_measures_lists_all_there_are(call):
    code, out, err = call("measures")
    assert (code, err) == (0, "")
    measures, notes = out.split("\n\n")
    assert [line.split()[0] for line in measures.splitlines()] == [description.name for description in everything()]
    assert [line.split()[0] for line in notes.splitlines()] == ["Ours", "trec_eval's", "ir_measures'"]
    assert f" {', '.join(NAMES)}, " in notes
    assert all(len(line.split()) > 2 for line in out.splitlines() if line)
    assert "``" not in out
    code, out, err = call("measures", "map", "MicroG")
    assert (code, out, "unknown measure 'MicroG'" in err) == (2, "", True)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("MicroF1", ["MicroF1\n", "ranks Tasks 1 and 2", "formula:  (1+β²)", "source:", "computed: …"]),
        ("MacroF(beta=2,of=means)", ["MacroF(beta=2,of=means)\n", "some teams compute"]),
        ("map", ["map\n", "Average precision", f"… {trec_eval.version()} …"]),
        ("P.5,10", ["P_5\n", "P_10\n"]),
        ("RationaleF1", ["F1 of the True class", "undefined="]),
    ],
)
def test_measures_explains_one(name, parts, call):
    out, _ = done(call, "measures", name)
    assert all(mentions(out, part) for part in parts)
    assert max(map(len, out.splitlines())) <= 121


def test_the_demo_scores_every_task_and_says_what_to_type(call):
    out, err = done(call, "demo")
    assert "[duplicate]" in err and err.count("task 1 by the rules") == err.count("by the rules")  # where it teaches
    assert out.endswith("-o report.html\n") and out.count("coliee-ir report ") == 1
    typed = [line for line in out.splitlines() if line.startswith("$ coliee-ir evaluate ")]
    assert {re.match(r"── Task (\w+)", line)[1] for line in out.splitlines() if line.startswith("──")} == set(TASKS)
    assert len(typed) == len(demo._SHOWN)
    for measure in ("MicroF1", "MacroF2", "LabelAccuracy", "RationaleF1", "ndcg_cut_10", "MicroR@30"):
        assert measure in out
    _, out, _ = call("demo", "--task", "2")
    assert out.count("── Task ") == out.count("── Task 2") == 1
    folder, typed, *_ = [line for line in out.splitlines() if line.startswith("$ ")]
    with contextlib.chdir(folder.removeprefix("$ cd ")):
        again, _ = done(call, *typed.split()[2:])
        assert not call("demo", "--task", "2")[1].startswith("$ cd")  # where the reader is
    assert again in out
    assert call("demo", "--task", "9")[0] == 2


def test_the_demo_copies_its_files_and_writes_over_none(call, tmp_path):
    assert call("demo", "-o", tmp_path / "new", "--task", "1")[0] == 0
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["task1"]
    (tmp_path / "new" / "task1" / "gold.json").write_text("{}")
    assert call("demo", "-o", tmp_path / "new", "--task", "1")[0] == 2
    assert (tmp_path / "new" / "task1" / "gold.json").read_text() == "{}"
    assert call("demo", "-o", tmp_path / "all")[:2] == (0, "")
    copied = {path.relative_to(tmp_path / "all") for path in (tmp_path / "all").rglob("*") if path.is_file()}
    there = {path.relative_to(EXAMPLES) for path in EXAMPLES.glob("*[!_]/*")}
    assert copied == there


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_help_that_ends_with_an_example(command, call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out, _ = done(call, command, "--help")
    assert cli.COMMANDS[command][1:] in out
    assert f"\n  {command} " in call("--help")[1]
    *_, last = out.splitlines()
    typed = shlex.split(last.removeprefix("example: "))
    assert (last.split()[0], typed[:2]) == ("example:", ["coliee-ir", command])
    cli.parser_of(command).parse_args(typed[2:])  # as it is
    first, *lines = cli.parser_of(command).format_help().splitlines()
    assert first.startswith(f"usage: coliee-ir {command} [OPTIONS]")
    assert not lines[0]
    headings = [line for line in lines if re.fullmatch("[a-zA-Z ]+:", line)]
    assert headings == [name for name in ("Input:", "Rules:", "Output:", "Running:", "Expert:") if name in headings]
    assert max(map(len, lines[:-1])) <= 110
    if command == "evaluate":
        assert len(lines) + 1 <= 62
        assert first == "usage: coliee-ir evaluate [OPTIONS] GOLD RUN…"


def test_options_are_few_and_mean_the_same_in_every_command(call):
    assert call("--version") == (0, f"coliee-ir {coliee_ir.__version__}\n", "")
    distinct = set()
    for command in cli.COMMANDS:
        parser = cli.parser_of(command)
        assert all(action.help for action in parser._actions)
        shown = {action.dest: tuple(action.option_strings) for action in parser._actions if action.option_strings}
        assert shown == {name: OPTIONS[name].flags for name in shown}
        assert len(shown) <= 28, command
        distinct |= shown.keys() - {"help"}
    assert len({OPTIONS[name].flags for name in distinct}) <= 70
    assert {name for name, option in OPTIONS.items() if option.flags} == {*distinct, "help"}


#: command and option → what stands for the names that it offers, in modules that help does not load
OFFERED = {
    "validate -f": forms_of(Validation),
    "tune -f": forms_of(Tuning),
    "compare -f": forms_of(Comparison),
    "plan -f": forms_of(Plan),
    "leaderboard -f": forms_of(Leaderboard),
    "leaderboard --table": tuple(leaderboard.TABLES),
    "evaluate -f": FORMS,
    "convert --from": tuple(dict.fromkeys(one.name for kind in get_args(GoldOrRun) for one in known_forms(kind))),
    "convert --to": tuple(dict.fromkeys((*conversion.GOLD_TARGETS, *conversion.RUN_TARGETS, "statements"))),
    "convert --aggregate": (*conversion.AGGREGATES, "vote"),
    "cut --to": tuple(name for name, form in conversion.RUN_TARGETS.items()
                      if "documents" in form.can_write and not form.uses_template),
    "fuse --to": tuple(conversion.RUN_TARGETS),
    "fuse --method": tuple(fusion.METHODS),
    "fuse --norm": tuple(fusion.NORMS),
}  # fmt: skip


@pytest.mark.parametrize("offered", OFFERED)
def test_an_option_offers_what_there_is(offered):
    command, option = offered.split()
    action = cli.parser_of(command)._option_string_actions[option]
    assert tuple(action.choices or ()) == OFFERED[offered]


def test_the_rules_of_cutting_are_those_that_help_names(call):
    for command in ("cut", "tune"):
        assert ", ".join(cutoffs.FAMILIES) in " ".join(call(command, "--help")[1].split())


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("o.json", "json"), ("o.jsonl", "jsonl"), ("o.csv", "csv"), ("o.CSV.gz", "csv"), ("o.tsv", "tsv"),
        ("o.md", "markdown"), ("o.tex", "latex"), ("o.txt", "table"), ("o.run", "table"), ("o", "table"),
    ],
)  # fmt: skip
def test_the_form_follows_the_ending_of_the_file(name, form, case_law, call):
    _, expected, _ = call("evaluate", "gold.json", "run.txt", "-f", form)
    assert call("evaluate", "gold.json", "run.txt", "-o", name)[0] == 0
    written = Path(name).read_bytes()
    assert (gzip.decompress(written) if name.endswith(".gz") else written).decode() == expected
    assert call("evaluate", "gold.json", "run.txt", "-o", name, "-f", "tsv")[0] == 0
    assert b"\t" in (gzip.decompress(Path(name).read_bytes()) if name.endswith(".gz") else Path(name).read_bytes())


def test_a_file_name_that_is_no_text_is_shown_with_escapes(case_law):
    name = b"r\xe9sum\xe9"
    Path("run.txt").rename(os.fsdecode(name))
    done = in_process("evaluate", "gold.json", os.fsdecode(name), "-f", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["runs"][0]["file"] == os.fsdecode(name)


@pytest.fixture
def beyond_ascii(here):
    """A gold and a run with an id that ASCII lacks, and an environment of ASCII."""
    Path("gold").write_text("問1 0 d 1\n", encoding="utf-8")
    Path("run").write_text("問1 Q0 d 1 1 T\n", encoding="utf-8")
    return {**os.environ, "PYTHONIOENCODING": "ascii"}


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_file_or_a_pipe_gets_utf_8_whatever_the_locale(form, beyond_ascii):
    done = in_process("evaluate", "gold", "run", "-q", "-f", form, env=beyond_ascii)
    assert done.returncode == 0, done.stderr
    assert "問1" in done.stdout.decode("utf-8")
    assert b"\\u554f" not in done.stdout
    if form == "json":
        assert list(json.loads(done.stdout)["runs"][0]["per_query"]) == ["問1"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_a_terminal_that_lacks_a_character_gets_escapes(beyond_ascii):
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "coliee_ir", "evaluate", "gold", "run", "-q", "-f", "json", "-m", "map"]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, check=False, env=beyond_ascii)
    shown_there = os.read(ours, 65536)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0, done.stderr
    assert b"\\u554f1" in shown_there
    assert list(json.loads(shown_there)["runs"][0]["per_query"]) == ["問1"]


def test_lines_end_alike_on_all_platforms(here, monkeypatch):
    Path("gold").write_text(json.dumps(GOLD))
    Path("run").write_text("000001 000018 T\n")
    for command in (("evaluate", "gold", "run"), ("convert", "run", "-"), ("convert", "gold", "-", "--to", "json")):
        raw = io.BytesIO()
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="utf-8", newline="\r\n"))  # as on Windows
        assert cli.main(list(command)) == 0
        assert b"\n" in raw.getvalue()
        assert b"\r" not in raw.getvalue()


#: What scoring a plain run by official measures does without, and what takes long to load.
NOT_FOR_SCORES = {
    *("numpy.ma", "statistics", "multiprocessing", "concurrent.futures", "importlib.metadata", "hashlib"),
    *("tarfile", "zipfile", "tempfile", "random", "threading", "pyexpat", "html", "difflib", "shlex"),
    *("pandas", "polars", "pyarrow", "scipy", "altair", "jinja2", "ir_measures", "fsspec", "distributed", "yaml"),
}
PLAIN = ("evaluate", "task1/gold.json", "task1/bm25.txt")


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_a_command_starts_no_thread_of_blas_and_loads_only_what_it_needs():
    code = (
        f"import atexit, os, sys; sys.argv[1:] = {list(PLAIN)};"
        "atexit.register(lambda: print(len(os.listdir('/proc/self/task')), *sys.modules));"
        "from coliee_ir.__main__ import run; run()"
    )
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=True
    )
    threads, *loaded = done.stdout.splitlines()[-1].split()
    assert threads == "1"
    assert "numpy" in loaded
    assert not NOT_FOR_SCORES & set(loaded)


def test_help_the_version_and_a_mistyped_option_load_what_they_show_and_no_rules():
    words = [
        ["--version"],
        ["--help"],
        ["evalute"],
        *([name, word] for name in cli.COMMANDS for word in ("-h", "--foo")),
    ]
    code = (
        "import contextlib, sys; from coliee_ir import cli\n"
        f"for typed in {words}:\n"
        "    with contextlib.suppress(SystemExit): cli.main(typed)\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    not_for_help = {"numpy", "pytrec_eval", "tomllib", "dataclasses", *NOT_FOR_SCORES - {"difflib"}}
    assert not not_for_help & set(done.stderr.splitlines()[-1].split())


@pytest.mark.explore
@pytest.mark.skipif(not shutil.which("valgrind"), reason="counts instructions with valgrind")
def test_a_plain_evaluation_takes_six_hundred_million_instructions_at_most():
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "coliee_ir", *PLAIN]
    counted = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command]
    for one in (command, counted):  # once before, for the bytecode
        done = subprocess.run(one, cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=True)
    (number,) = re.findall(r"I +refs: +([\d,]+)", done.stderr)
    assert int(number.replace(",", "")) <= 600_000_000


def test_an_option_that_names_a_file_says_whether_it_is_read_or_written():
    files = {
        name for name, option in OPTIONS.items()
        if option.flags and option.settings.get("metavar") in ("FILE", "DIR", "CSV", "OUT", "RUN", "GOLD")
    }  # fmt: skip
    assert {name for name in files if not OPTIONS[name].reads and not OPTIONS[name].writes} == set()
    assert {"output", "log", "save"} <= {name for name in files if OPTIONS[name].writes}
