"""What teams and the public are told holds nothing that only the gold holds: no document of it, and not its path."""

import json
import random
import re
from pathlib import Path

import pytest
from asserting import done
from broken import CASES, TWINS, lines
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import MismatchError
from coliee_adapters.kinds import OF_GOLD, REMARKS
from coliee_adapters.remarks import Remarks
from coliee_ir import evaluate, evaluate_all, leaderboard, read_gold
from coliee_ir.commands.bundle import score_upload
from coliee_ir.commands.leaderboard.catalogue import invalid
from coliee_ir.output.grid import markdown

#: what is told to the gold's owner alone
_HINT = "no_overlap"


def leaks(text, gold, task, own):
    """What a text says that is the gold's alone: its path, and ids that no file of a team holds (or a count may be)."""
    text = re.sub("write [0-9]+", "", text)  # which the rules of the task say of a file's own ids
    held = "\n".join(one.decode(codec, "replace") for one in own.values() for codec in ("utf-8", "utf-16"))
    judged = (read_gold(str(gold), task=task).qrels or {}).values()
    secrets = {document for of_query in judged for document in of_query if len(document) > 2}
    said = [
        one for one in secrets
        if re.search(word := rf"\b{re.escape(one)}\b", text) and not re.search(word, held)
    ]  # fmt: skip
    return said + [one for one in (gold.name, str(gold.parent), _HINT, "--like") if one in text]


def wrong():
    """Every kind of wrong submission; and of each task some whose ids are not those of the gold."""
    for case in CASES:
        yield case.id, case.twin, case.broken
    for twin in TWINS:
        name, content = next(iter(twin.files.items()))
        others = {
            "zeros": re.sub(rb"\b0+(?=[0-9])", b"", content),
            "ending": re.sub(rb"(\d) ", rb"\1.json ", content),
            "other": re.sub(rb"[0-9]", b"7", content),
            "empty": b"",
        }
        for change, other in others.items():
            yield f"{twin.name} {change}", twin, {**twin.files, name: other}
        yield f"{twin.name} other task", twin, {"run.txt": lines("000771 000772 OTHER", "000773 000774 OTHER")}


WRONG = {name: (twin, files) for name, twin, files in wrong()}
GROUPS = {}
for _name, (_twin, _) in WRONG.items():
    _group = str(_twin.scored["task"]), _twin.scored.get("edition"), _twin.others[_twin.gold]
    GROUPS.setdefault(_group, []).append(_name)


@pytest.mark.parametrize("group", GROUPS, ids=lambda one: f"{one[0]} {one[1]} {len(one[2])}")
def test_no_wrong_submission_is_told_what_the_gold_holds(group, here, call):
    task, year, text = group
    gold = here / "desk_of_gold" / f"the_gold{Path(WRONG[GROUPS[group][0]][0].gold).suffix}"
    gold.parent.mkdir()
    gold.write_text(text, encoding="utf-8")
    teams = {f"TEAM{at}": WRONG[name][1] for at, name in enumerate(GROUPS[group])}
    everything = {name: content for files in teams.values() for name, content in files.items()}
    for team, files in teams.items():
        for file, content in files.items():
            path = here / "mailbox" / team / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        error = score_upload(gold, here / "mailbox" / team, {"task": task, "edition": year, "exclude": []}).error
        assert leaks(error, gold, task, files) == []
    scored = evaluate_all(str(gold), "mailbox", teams={}, task=task, edition=year, keep_going=True)
    board = leaderboard(scored, n_resamples=99)
    for one in board.invalid:
        files = {file: Path(file).read_bytes() for file in one.files}
        assert leaks(one.reason.for_others, gold, task, files) == [], one
    assert leaks(markdown(invalid(board)), gold, task, everything) == []
    rows = "" if year is None else f"year = {year}\n"
    part = f'[[task]]\ntask = "{task}"\ngold = "desk_of_gold/{gold.name}"\n'
    (here / "e.toml").write_text(
        f'name = "E"\n{rows}mailbox = ["mailbox"]\nresamples = 99\n[public]\nhide_gold = true\nfigures = false\n{part}'
    )
    done(call, "edition", "e.toml", "-o", "out")
    for team, files in teams.items():
        (letter,) = (here / "out/desk/receipt").glob(f"{team.lower()}-*.eml")
        assert leaks(letter.read_text(), gold, task, files) == [], letter
    for path in (here / "out/public").rglob("*.html"):
        assert leaks(path.read_text(), gold, task, everything) == [], path


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 1 << 32), st.sampled_from(["{}", "0{}", "{}.txt2", "case_{}", "{}.0"]), st.booleans())
def test_no_random_run_is_told_what_the_gold_holds(tmp_path_factory, seed, form, shift):
    chance = random.Random(seed)
    gold, path = (tmp_path_factory.mktemp("random") / name for name in ("the_gold.json", "run.txt"))
    cases = [f"{n:06}" for n in chance.sample(range(99_999), 60)]
    judged = {query: chance.sample(cases[20:], 3) for query in cases[:20]}
    gold.write_text(json.dumps(judged))
    documents = [str(int(one)) if chance.random() < 0.9 else one for found in judged.values() for one in found]
    queries = [str(int(one)) if shift else one for one in judged]
    run = lines(*(f"{query} {form.format(chance.choice(documents))} T" for query in queries))
    path.write_bytes(run)
    texts = [score_upload(gold, path, {"task": "1", "edition": 2024, "exclude": []}).error]
    try:
        texts += [remark.for_others for remark in evaluate(gold, path, task="1").remarks]
    except MismatchError as refused:
        texts.append(refused.for_others.replace(str(path.parent), ""))
    assert [leaks(text, gold, "1", {"run.txt": run}) for text in texts] == [[]] * len(texts)


def test_the_owner_of_the_gold_is_told_its_ids():
    gold = {f"{n:03}": [f"{n + 100:06}"] for n in range(20)}
    with pytest.raises(MismatchError) as refused:
        evaluate(gold, {f"{n:03}": [str(n + 100)] for n in range(20)}, task="2")
    assert "000100" in str(refused.value) and _HINT in str(refused.value)
    assert "000100" not in refused.value.for_others and _HINT not in refused.value.for_others
    for kind in OF_GOLD:
        assert kind in REMARKS
        (remark,) = Remarks.of(kind, "query Q: 18 for 000018").sentences({})
        assert "000018" in remark
        assert "000018" not in remark.of_part("long", "long list").for_others
