"""An error of ours is told as one: a sentence, a traceback, exit code 70; the other runs are still scored."""

import json
import sys
from pathlib import Path

import pytest
from asserting import heard

from coliee_adapters.errors import INTERNAL, InputError, InternalError, ignoring_unreadable, reading_errors_as_input
from coliee_ir import Evaluator, evaluate, evaluate_all, read_gold, validate
from coliee_ir.commands.validate import lists
from coliee_ir.inbox.inventory import sort_files
from coliee_ir.inbox.tasks import Golds, QueryFile
from coliee_ir.measures.sets import Micro
from coliee_ir.scoring import score as scoring
from coliee_ir.scoring.score import score_each

BOTH = ("runs/bad.txt", "runs/good.txt")


class OursError(KeyError):
    """A mistake in the program."""


@pytest.fixture(autouse=True)
def files(here):
    gold = {f"00000{n}": ["000018"] for n in range(1, 6)}
    Path("gold.json").write_text(json.dumps(gold))
    Path("runs").mkdir()
    for name in ("bad", "good"):
        lines = [f"{query} 00001{8 if name == 'good' else n} {name.upper()}\n" for n, query in enumerate(gold)]
        Path("runs", f"{name}.txt").write_text("".join(lines))


def spoilt(function, is_bad=lambda *_, **__: True):
    def wrapped(*given, **named):
        if is_bad(*given, **named):
            raise OursError("programming error of ours")
        return function(*given, **named)

    return wrapped


@pytest.fixture
def fault(monkeypatch):
    """A mistake that only the measuring of one run meets, behind its reading."""

    def is_bad(done):
        return any("bad" in file.name for file in done.submission.files)

    monkeypatch.setattr(scoring, "remarks_of", spoilt(scoring.remarks_of, is_bad))


def reported(call, *command):
    """What a command prints that met an error of ours, which it tells with its traceback."""
    code, out, err = call(*command)
    assert code == 70
    assert err.index("[internal]") < err.index("Traceback")
    assert "OursError: 'programming error of ours'" in err
    assert "[damaged]" not in heard(err)
    return out


@pytest.mark.usefixtures("fault")
@pytest.mark.parametrize(
    ("command", "word"),
    [
        (("evaluate", "gold.json", *BOTH), "GOOD"),
        (("evaluate", "gold.json", "runs"), "GOOD"),
        (("leaderboard", "gold.json", "runs"), "GOOD"),
        (("report", "gold.json", *BOTH, "-o", "page.html"), ""),
    ],
)
def test_the_other_runs_are_scored_and_the_code_is_70(command, word, call):
    assert word in reported(call, *command, "--task", "1")


def test_in_every_command_and_in_a_measure(call, monkeypatch):
    for command in (("convert", "runs/good.txt", "out.trec"), ("fuse", *BOTH), ("measures",)):
        monkeypatch.setattr(f"coliee_ir.cli.{command[0]}.run", spoilt(None))
        reported(call, *command)
    monkeypatch.setattr(Micro, "compute", spoilt(Micro.compute))
    assert reported(call, "evaluate", "gold.json", "runs/good.txt", "--task", "1") == ""


@pytest.mark.usefixtures("fault")
def test_no_letter_of_an_edition_has_a_traceback(call):
    Path("team.csv").write_text("tag,team\nBAD,A\nGOOD,B\n")
    Path("e.toml").write_text(
        'name = "E"\nyear = 2024\nmailbox = ["runs"]\nteams = "team.csv"\n[[task]]\ntask = "1"\ngold = "gold.json"\n'
    )
    reported(call, "edition", "e.toml", "-o", "out")
    letters = [path.read_text() for path in Path("out/desk/receipt").iterdir()]
    assert letters
    assert "Traceback" not in "".join(letters)


def test_a_check_of_ours_that_fails_leaves_the_others(monkeypatch):
    module = sys.modules["coliee_ir.commands.validate.check"]
    failing = spoilt(lists.columns, lambda sheet: "bad" in sheet.name)
    checks = [(kinds, failing if find is lists.columns else find) for kinds, find in module.CHECKS]
    monkeypatch.setattr(module, "CHECKS", checks)
    found = validate(*BOTH, task="1", edition=2024)
    assert [one.rule for one in found.findings if "bad" in one.file] == ["unchecked"]
    assert "unreadable" not in [one.rule for one in found.findings]


@pytest.mark.usefixtures("fault")
def test_in_python_the_exception_itself_is_raised(monkeypatch):
    for call in (
        lambda: evaluate("gold.json", "runs/bad.txt", task="1"),
        lambda: evaluate_all("gold.json", BOTH, task="1"),
        lambda: Evaluator("gold.json", task="1").evaluate("runs/bad.txt"),
    ):
        with pytest.raises(OursError) as caught:
            call()
        assert any(one.name == "wrapped" for one in caught.traceback)
    for threshold in (0, 1 << 40):  # in workers too, and without
        monkeypatch.setattr(scoring, "WORTH_A_PROCESS", threshold)
        bad, good = score_each(Evaluator("gold.json", task="1"), BOTH, jobs=2)
        assert isinstance(bad, InternalError)
        assert isinstance(bad.original, OursError)
        assert "Traceback" in bad.trace
        assert not isinstance(good, Exception)
        with pytest.raises(OursError):
            evaluate_all("gold.json", BOTH, task="1", jobs=2)


def test_a_mistake_in_a_reader_is_ours_and_no_doubt_swallows_it():
    def members(*_):
        {}["programming error of ours"]

    with pytest.raises(InputError), reading_errors_as_input("f"):
        members()  # as of a library
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(members.__globals__, "__name__", "coliee_adapters.forms.x")
        with pytest.raises(InternalError), reading_errors_as_input("f"):
            members()
    with ignoring_unreadable():
        raise InputError("bad-label", "f", "p")
    with pytest.raises(InternalError), ignoring_unreadable():
        raise InternalError("f", "p")
    INTERNAL.clear()


def test_want_of_memory_is_neither_damage_nor_nothing(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    Path("runs/elems.xml").write_text("<dataset><pair id='H18-1-1' label='Y'/></dataset>")
    golds = Golds([QueryFile.of(read_gold("gold.json", task="1"))])
    monkeypatch.setattr("coliee_ir.reading.anything.gold_in", full)
    found = {Path(one.file).name: one for one in sort_files(["runs"], golds=golds).items}
    assert found["elems.xml"].error.kind == "too-large"
    assert found["elems.xml"].skip_reason == ""
    assert found["good.txt"].error is None
