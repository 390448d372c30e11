"""What teams and the public are told holds nothing that only the gold holds: no document of it, and not its path."""

import json
import random
import re
from pathlib import Path

import pytest
from broken import CASES, TWINS, lines
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import MismatchError
from coliee_adapters.kinds import OF_GOLD, REMARKS
from coliee_adapters.remarks import Remark, Remarks
from coliee_ir import evaluate, evaluate_all, leaderboard, read_gold
from coliee_ir.cli import main
from coliee_ir.commands.bundle import score_upload
from coliee_ir.commands.leaderboard.catalogue import invalid
from coliee_ir.output.grid import markdown

#: what is told to the gold's owner alone
_HINT = "no_overlap"


def secrets(gold, task, own):
    """The ids of a gold's documents that a team's files do not hold, and that no count can be taken for."""
    held = "\n".join(one.decode(codec, "replace") for one in own.values() for codec in ("utf-8", "utf-16"))
    judged = (read_gold(str(gold), task=task).qrels or {}).values()
    found = {document for of_query in judged for document in of_query}
    return [one for one in sorted(found) if len(one) > 2 and not re.search(rf"\b{re.escape(one)}\b", held)]


def leaks(text, gold, task, own):
    text = re.sub("write [0-9]+", "", text)  # which the rules of the task say of a file's own ids
    said = [one for one in secrets(gold, task, own) if re.search(rf"\b{re.escape(one)}\b", text)]
    return said + [one for one in (gold.name, str(gold.parent), _HINT, "--like") if one in text]


def wrong():
    """Every kind of wrong submission; and of each task some whose ids are not those of the gold."""
    for case in CASES:
        yield case.id, case.twin, case.broken
    for twin in TWINS:
        name, content = next(iter(twin.files.items()))
        text = content.decode()
        yield f"{twin.name} zeros", twin, {**twin.files, name: re.sub(r"\b0+(?=[0-9])", "", text).encode()}
        yield f"{twin.name} ending", twin, {**twin.files, name: re.sub(r"(\d) ", r"\1.json ", text).encode()}
        yield f"{twin.name} other", twin, {**twin.files, name: re.sub(r"[0-9]", "7", text).encode()}
        yield f"{twin.name} empty", twin, {**twin.files, name: b""}
        yield f"{twin.name} other task", twin, {"run.txt": lines("000771 000772 OTHER", "000773 000774 OTHER")}


WRONG = {name: (twin, files) for name, twin, files in wrong()}
GROUPS = {}
for _name, (_twin, _) in WRONG.items():
    GROUPS.setdefault((str(_twin.scored["task"]), _twin.scored.get("edition"), _twin.others[_twin.gold]), []).append(
        _name
    )


@pytest.mark.parametrize("group", GROUPS, ids=lambda one: f"{one[0]} {one[1]} {len(one[2])}")
def test_no_wrong_submission_is_told_what_the_gold_holds(group, tmp_path, monkeypatch):
    task, year, text = group
    monkeypatch.chdir(tmp_path)
    gold = tmp_path / "desk_of_gold" / f"the_gold{Path(WRONG[GROUPS[group][0]][0].gold).suffix}"
    gold.parent.mkdir()
    gold.write_text(text, encoding="utf-8")
    teams = {f"TEAM{at}": name for at, name in enumerate(GROUPS[group])}
    for team, name in teams.items():
        for file, content in WRONG[name][1].items():
            path = tmp_path / "mailbox" / team / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for team, name in teams.items():
        rules = {"task": task, "edition": year, "exclude": []}
        error = score_upload(gold, tmp_path / "mailbox" / team, rules).error
        assert leaks(error, gold, task, WRONG[name][1]) == [], name
    scored = evaluate_all(str(gold), "mailbox", teams={}, task=task, edition=year, keep_going=True)
    board = leaderboard(scored, n_resamples=99)
    for one in board.invalid:
        files = {file: Path(file).read_bytes() for file in one.files}
        assert leaks(one.reason.for_others, gold, task, files) == [], one
    everything = {name: content for name in teams.values() for content in WRONG[name][1].values()}
    assert leaks(markdown(invalid(board)), gold, task, everything) == []
    rows = "" if year is None else f"year = {year}\n"
    part = f'[[task]]\ntask = "{task}"\ngold = "desk_of_gold/{gold.name}"\n'
    (tmp_path / "e.toml").write_text(
        f'name = "E"\n{rows}mailbox = ["mailbox"]\nresamples = 99\n[public]\nhide_gold = true\nfigures = false\n{part}'
    )
    assert main(["edition", "e.toml", "-o", "out"]) == 0
    for team, name in teams.items():
        for path in (tmp_path / "out/desk/teams").glob(f"{team.lower()}-*"):
            assert leaks(path.read_text(), gold, task, WRONG[name][1]) == [], (name, path)
    for path in (tmp_path / "out/public").rglob("*.html"):
        assert leaks(path.read_text(), gold, task, everything) == [], path


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 1 << 32), form=st.sampled_from(["{}", "0{}", "{}.txt2", "case_{}", "{}.0"]), shift=st.booleans()
)
def test_no_random_run_is_told_what_the_gold_holds(tmp_path_factory, seed, form, shift):
    chance = random.Random(seed)
    folder = tmp_path_factory.mktemp("random")
    cases = [f"{n:06}" for n in chance.sample(range(99_999), 60)]
    gold = {query: chance.sample(cases[20:], 3) for query in cases[:20]}
    (folder / "the_gold.json").write_text(json.dumps(gold))
    documents = [str(int(one)) if chance.random() < 0.9 else one for judged in gold.values() for one in judged]
    queries = [str(int(one)) if shift else one for one in gold]
    run = lines(*(f"{query} {form.format(chance.choice(documents))} T" for query in queries))
    (folder / "run.txt").write_bytes(run)
    error = score_upload(
        folder / "the_gold.json", folder / "run.txt", {"task": "1", "edition": 2024, "exclude": []}
    ).error
    assert leaks(error, folder / "the_gold.json", "1", {"run.txt": run}) == []
    try:
        remarks = evaluate(str(folder / "the_gold.json"), str(folder / "run.txt"), task="1").remarks
    except MismatchError as refused:
        assert leaks(refused.for_others.replace(str(folder), ""), folder / "the_gold.json", "1", {"run.txt": run}) == []
        return
    for remark in remarks:
        assert isinstance(remark, Remark)
        assert leaks(remark.for_others, folder / "the_gold.json", "1", {"run.txt": run}) == []


def test_the_owner_of_the_gold_is_told_its_ids():
    gold = {f"{n:03}": [f"{n + 100:06}"] for n in range(20)}
    with pytest.raises(MismatchError) as refused:
        evaluate(gold, {f"{n:03}": [str(n + 100)] for n in range(20)}, task="2")
    assert "000100" in str(refused.value) and _HINT in str(refused.value)
    assert "000100" not in refused.value.for_others and _HINT not in refused.value.for_others


@pytest.mark.parametrize("kind", sorted(OF_GOLD))
def test_remarks_that_quote_the_gold_have_a_sentence_without_examples(kind):
    assert kind in REMARKS
    (remark,) = Remarks.of(kind, "query Q: 18 for 000018").sentences({})
    assert "000018" in remark
    assert "000018" not in remark.of_part("long", "long list").for_others
