"""What a stranger ran into: one bad file among good ones, outputs in the place of inputs, labels in another guise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import coliee_ir.examples
from coliee_ir.reading import find_task, read_gold, telling

EXAMPLES = Path(coliee_ir.examples.__file__).parent
GOLD1, RUN1 = EXAMPLES / "task1" / "gold.json", EXAMPLES / "task1" / "bm25.txt"
GOLD4, RUN4 = EXAMPLES / "task4" / "gold.xml", EXAMPLES / "task4" / "ALPHA.txt"

Call = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("command", ["evaluate", "compare"])
@pytest.mark.parametrize("content", ["", None])
def test_going_on_without_a_run_that_cannot_be_opened(
    call: Call, tmp_path: Path, command: str, content: str | None
) -> None:
    broken = tmp_path / "broken.txt"
    if content is not None:
        broken.write_text(content)
    code, out, err = call(command, GOLD1, broken, RUN1, EXAMPLES / "task1" / "dense.txt", "--keep-going")
    assert (code, "bm25" in out, "dense" in out) == (2, True, True)
    assert f"coliee-ir: {broken}: " in err


def test_a_file_of_words_does_not_decide_the_task(call: Call, tmp_path: Path) -> None:
    words = tmp_path / "notes.txt"
    words.write_text("see you in Tokyo\n")
    code, out, err = call("evaluate", GOLD4, words, RUN4, "--keep-going")
    assert (code, "0.8333" in out) == (2, True)
    folder = tmp_path / "sent"
    (folder / "A").mkdir(parents=True)
    (folder / "Z").mkdir()
    words.rename(folder / "A" / "notes.txt")
    (folder / "Z" / "ALPHA.txt").write_bytes(RUN4.read_bytes())
    code, out, err = call("leaderboard", GOLD4, folder)
    assert (code, "0.8333" in out, "notes.txt" in err) == (2, True, True)


def test_numbers_for_labels_are_labels_if_all_of_them_are(call: Call, tmp_path: Path) -> None:
    numbers = tmp_path / "run.txt"
    numbers.write_text(RUN4.read_text().replace(" Y ", " 1 ").replace(" N ", " 0 "))
    code, out, err = call("evaluate", GOLD4, numbers)
    assert (code, "0.8333" in out) == (0, True)
    assert "not written Y or N, and understood" in err
    numbers.write_text(RUN4.read_text().replace(" Y ", " 1 "))
    code, out, err = call("evaluate", GOLD4, numbers)
    assert (code, out) == (2, "")
    assert "write Y or N everywhere" in err


def test_what_shows_no_task_leaves_it_to_the_gold() -> None:
    assert telling(["not there"]) is None
    assert find_task(read_gold(str(GOLD1)), telling([])).task == "1"


@pytest.mark.parametrize(
    "arguments",
    [
        ("tune", "GOLD", RUN1, "--by", "k", "--rule", "GOLD"),
        ("tune", "GOLD", RUN1, "--by", "k", "--apply", RUN1, "-o", "GOLD"),
        ("fuse", RUN1, EXAMPLES / "task1" / "dense.txt", "--gold", "GOLD", "--fit", "GOLD"),
        ("report", "GOLD", RUN1, "--html", "GOLD"),
        ("cut", "GOLD", EXAMPLES / "no.json", "-o", "GOLD"),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-2]}",
)
def test_nothing_is_written_over_what_is_read(call: Call, tmp_path: Path, arguments: tuple[object, ...]) -> None:
    gold = tmp_path / "gold.json"
    gold.write_bytes(GOLD1.read_bytes())
    code, out, err = call(*(gold if argument == "GOLD" else argument for argument in arguments))
    assert (code, out) == (2, "")
    assert f"{gold} is read, and would be written over: name another file" in err
    assert gold.read_bytes() == GOLD1.read_bytes()


def test_two_outputs_are_two_files(call: Call, tmp_path: Path) -> None:
    same = tmp_path / "same"
    code, _, err = call("tune", GOLD1, RUN1, "--by", "k", "--apply", RUN1, "-o", same, "--rule", same)
    assert (code, same.exists()) == (2, False)
    assert f"{same} would be written twice: name two files" in err


def test_files_of_two_teams_are_never_one_submission(call: Call, tmp_path: Path) -> None:
    task3 = EXAMPLES / "task3"
    for team, name in (("A", "task3.BETA"), ("Z", "answers.ALPHA")):
        (tmp_path / "sent" / team).mkdir(parents=True)
        text = (task3 / name).read_text().replace("BETA", "run1").replace("ALPHA", "run1")
        (tmp_path / "sent" / team / f"{name.split('.')[0]}.run1").write_text(text)
    code, out, _ = call("leaderboard", task3 / "gold.xml", tmp_path / "sent")
    assert code == 2
    assert "0.5333" not in out
