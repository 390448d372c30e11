"""An edition in one file and one command, on the mailbox of the docs."""

import ctypes
import email
import hashlib
import io
import json
import re
import shlex
import sys
import zipfile
from datetime import datetime
from email.policy import default
from pathlib import Path

import make_mailbox as made
import pytest
import yaml
from asserting import failing, mentions, refusing
from places import ROOT
from sent import write

from coliee_adapters.errors import InputError
from coliee_ir.cli import main
from coliee_ir.commands import edition
from coliee_ir.commands.edition import read_edition
from coliee_ir.rules.protocol import NEWEST

DOCS = (ROOT / "docs/organiser.md").read_text("utf-8")
SCRIPT = re.findall(r"^(coliee-ir .*)", "".join(re.findall(r"^```sh\n(.*?)^```", DOCS, re.S | re.M)), re.M)
FILE, SHEET = (re.search(rf"^```{kind}\n(.*?)^```", DOCS, re.S | re.M)[1] for kind in ("toml", "text"))
#: the docs' file, without the figures, which test_webpage.py and test_paper.py draw
QUICK = "resamples = 99\n" + FILE.replace("[public]\n", "[public]\nfigures = false\n")


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """The folder of the docs' edition, held once."""
    folder = tmp_path_factory.mktemp("edition")
    made.make(folder)
    (folder / "coliee.toml").write_text(QUICK)
    # files of these teams lie in folders, too
    mails = {path.name: path.read_bytes() for path in folder.glob("mailbox/*.eml") if path.name not in SHEET}
    box = (folder / "mailbox/inbox.mbox").read_bytes().split(b"From someone")
    mails |= {f"inbox.mbox/{n}": of.partition(b"\n")[2] for n, of in enumerate(box) if n}
    subjects = {name: email.message_from_bytes(of, policy=default)["Subject"] for name, of in mails.items()}
    rows = "".join(f"{name},{subject.split()[-1]},,,\n" for name, subject in subjects.items())
    many = "".join(f",{team},,,ranked\n" for team in ("ECHO", "GOLF", "IRIS", "JNLP", "KIS"))
    (folder / "teams.csv").write_text(SHEET + rows + many)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert [main(shlex.split(line)[1:]) for line in SCRIPT] == [0] * len(SCRIPT)
        yield folder


@pytest.fixture
def again(held, here, call):
    """Hold an edition of the same golds and another mailbox, or sheet; what is printed."""
    (here / "gold").symlink_to(held / "gold")
    write({"teams.csv": SHEET, "coliee.toml": QUICK})

    def hold(files, expected=0):
        write(files)
        code, out, err = call("edition", "coliee.toml", "-o", "out")
        assert code == expected
        assert bool(re.search(r"^coliee-ir: not ranked: .+ \[refused\]$", err, re.M)) == ("[refused]\n" in out)
        return out

    return hold


def task1(*runs):
    """Files in folders of teams: the team, the run's number, and how many queries it has right."""
    return {f"mailbox/{team}/{n}.txt": made._task1(f"{team}{n}", at, right) for at, (team, n, right) in enumerate(runs)}


def results(folder):
    return json.loads((folder / "out/results.json").read_text("utf-8"))


def test_the_docs_edition_is_whole_and_says_what_is_to_decide(held):
    out = held / "out"
    sums = {name: digest for digest, name in map(str.split, (out / "SHA256SUMS").read_text().splitlines())}
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == {*sums, "SHA256SUMS"}
    assert all(hashlib.sha256((out / name).read_bytes()).hexdigest() == digest for name, digest in sums.items())
    inputs = results(held)["inputs"]
    assert inputs["gold/task1.json"] == hashlib.sha256((held / "gold/task1.json").read_bytes()).hexdigest()
    assert {"coliee.toml", "teams.csv", "mailbox/late.eml", "mailbox/inbox.mbox"} <= inputs.keys()
    assert zipfile.ZipFile(held / "codabench.zip").testzip() is None
    assert "<nav" not in (out / "public/index.html").read_text()  # which is short
    # what a person must decide
    decide = {(one["kind"], one["team"], one["run"]) for one in results(held)["decide"]}
    assert decide >= {
        ("shared-tag", "", "BM25"), ("gold-itself", "ARC", ""), ("gold-itself", "HUKB", ""),
        ("perfect-score", "ARC", "ARCbest"), ("undescribed", "BLUE", ""), ("refused", "HUKB", "HUKB8"),
        ("refused", "LEX", "LEX8"), ("refused", "OMEGA", ""), ("refused", "京都大学", ""), ("refused", "GOLF", ""),
        ("refused", "CASE", ""), ("many-runs", "JNLP", ""), ("same-answers", "", ""), ("missed-query", "", ""),
    }  # fmt: skip
    assert "late" not in {kind for kind, _, _ in decide}  # which the sheet has decided
    texts = " ".join(one["what"] for one in results(held)["decide"])
    assert all(named in texts for named in ("000020", "FOX FOX9, IRIS IRIS9", "ARC9", "JNLP has 5 runs"))


def _mailed(team, files):
    return made.mail(f"[submission] {team}", files, f"{team}@example.org", "12 Jan 2026 10:00:00 +0900")


def written(folder):
    out = folder / "out"
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_a_second_call_scores_nothing_and_is_the_same(held, tmp_path, monkeypatch, call):
    before = written(held)
    for folder, path, out in (("/", held, "out"), (held.parent, held.name, "beside")):
        monkeypatch.chdir(folder)
        assert call("edition", f"{path}/coliee.toml", "-o", tmp_path / out)[0] == 0
    assert written(tmp_path) == before
    with monkeypatch.context() as patch:
        patch.setattr(edition, "day_of", None)
        code, out, _ = call("edition", held / "coliee.toml", "-o", held / "out")
    assert (code, written(held)) == (0, before)
    assert out.startswith("0 new files") and "\n  * " not in out and "[shared-tag]" in out
    (tmp_path / "out/public/index.html").unlink()  # which is made again
    assert call("edition", held / "coliee.toml", "-o", tmp_path / "out")[0] == 0
    assert written(tmp_path).keys() == before.keys()


_ONE = QUICK[: QUICK.index("[[task]]", QUICK.index('task = "2"'))].replace("figures = false", "figures = true")

#: what is changed → the files that are written then, and whether a figure of Task 1 is another one, and one of Task 2
CHANGES = {
    "nothing": ({"coliee.toml": _ONE + "# a word\n"}, False, False),
    "a run": ({"mailbox/KIS/1.txt": made._task1("KIS1", 9, 9)}, True, False),
    "a gold": ({"gold/task2.json": made._golds()["gold/task2.json"].replace('["022"]', '["023"]')}, False, True),
    "an excluded query": (
        {"coliee.toml": _ONE.replace('task1.json"', 'task1.json"\nexclude = ["000003"]')}, True, False),
    "an excluded query in a file": (
        {"coliee.toml": _ONE.replace('task1.json"', 'task1.json"\nexclude = "ids"'), "ids": "000003\n"}, True, False),
    "the rules": ({"coliee.toml": _ONE.replace('2.json"', '2.json"\n[task.decisions]\nunanswered = "skip"')}, 0, False),
    "the resamples": ({"coliee.toml": _ONE.replace("= 99", "= 199")}, True, True),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_an_earlier_call_drew_is_kept_and_never_stale(again, tmp_path, monkeypatch, change):
    vega = pytest.importorskip("coliee_ir.commands.report.drawing")
    drawn = []

    def draw(figure, coloured=vega.on_paper):
        drawn.append(json.dumps(coloured(figure)))
        return f"<svg {drawn[-1]}"

    monkeypatch.setattr(vega, "svg_of", draw)
    monkeypatch.setattr(vega, "picture", lambda svg, _: svg.encode())
    (tmp_path / "gold").unlink()
    runs = {f"mailbox/{team}/{n}.txt": task(f"{team}{n}", at, 7) for at, team in enumerate(("ARC", "KIS"))
            for n, task in ((1, made._task1), (2, made._task2))}  # fmt: skip
    files, *moves = CHANGES[change]
    again({**made._golds(), **runs, "teams.csv": "tag,team,status\n,ARC,\n", "coliee.toml": _ONE})
    first, drawn[:] = len(drawn), []
    again(files)
    assert (len(drawn) > 0, len(drawn) == first) == (any(moves), all(moves))
    shown = ("public", "paper", "results.json", "pictures.json")  # the desk says what moved
    kept = {name: of for name, of in written(tmp_path).items() if name.startswith(shown)}
    (tmp_path / "out").rename(tmp_path / "before")
    again({})
    assert written(tmp_path).items() >= kept.items()
    # what somebody else wrote there is not shown
    pictures = (tmp_path / "out/pictures.json").read_text()
    write({"out/pictures.json": re.sub('": "[^"]*"', '": "SEVMTE8="', pictures)})
    again({"coliee.toml": (tmp_path / "coliee.toml").read_text() + "\n"})
    assert all(of == kept[name] for name, of in written(tmp_path).items() if name.startswith(("public", "paper")))


def test_what_moved_is_told(again, tmp_path):
    assert "moved" not in again(task1(("ARC", 1, 6), ("KIS", 1, 5)))
    out = again({"mailbox/KIS/1.txt": made._task1("KIS1", 1, 9)})
    assert out.startswith("0 new files") and "changed: mailbox/KIS/1.txt\n" in out
    assert "\nmoved: Task 1, KIS KIS1: place 2, MicroF1 0.2000 → place 1, MicroF1 0.4000\n" in out
    assert "moved: Task 1, ARC ARC1: place 1, " in out
    (tmp_path / "gold").unlink()
    gold = made._golds()
    gold["gold/task1.json"] = gold["gold/task1.json"].replace("000502", "000702")
    out = again({**gold, "coliee.toml": QUICK.replace('task1.json"', 'task1.json"\nexclude = ["000003"]')})
    pages = [out, *((tmp_path / "out" / name).read_text() for name in ("changes.md", "desk/index.html"))]
    for words in ("corrected gold", "excluded queries", "000003"):
        assert all(words in page for page in pages)
    for page in ("public/task-1.html", "paper/task1-results.tex"):
        assert "000003" in (tmp_path / "out" / page).read_text()


@pytest.mark.parametrize("figures", ["true", "false"])
def test_figures_that_cannot_be_drawn_are_told(again, monkeypatch, call, figures):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    write({**task1(("ARC", 1, 6)), "coliee.toml": QUICK.replace("figures = false", f"figures = {figures}")})
    code, _, err = call("edition", "coliee.toml", "-o", "out")
    assert (code, "coliee-ir[report]" in err) == (0, figures == "true")


def test_what_was_changed_by_hand_is_kept(again, tmp_path):
    again(task1(("ARC", 1, 6)))
    paper = tmp_path / "out/paper/paper.tex"
    mine = paper.read_text() + "% my words\n"
    write({paper: mine, "out/desk/receipt/notes.eml": "mine"})
    for n in (5, 9):
        out = again(task1(("KIS", 1, n)))
        assert paper.read_text() == mine and "the new one is paper/paper.tex.new" in out
    assert (tmp_path / "out/desk/receipt/notes.eml").read_text() == "mine"
    lines = [line.split("  ") for line in (tmp_path / "out/SHA256SUMS").read_text().splitlines()]
    assert all(hashlib.sha256(written(tmp_path)[name]).hexdigest() == digest for digest, name in lines)
    paper.with_name("paper.tex.new").replace(paper)  # taken over, and ours again
    assert "by hand" not in again(task1(("LEX", 1, 9)))
    assert not paper.with_name("paper.tex.new").exists()


@pytest.mark.parametrize("swaps", [True, False])
def test_a_call_that_is_stopped_leaves_the_old_edition(again, tmp_path, monkeypatch, swaps):
    if not swaps:
        monkeypatch.setattr(ctypes, "CDLL", lambda _: None)
    again(task1(("ARC", 1, 6)))
    before = written(tmp_path)
    (tmp_path / ".out.0.new").mkdir()  # of a call that was killed
    with monkeypatch.context() as patch:
        full = OSError(28, "No space left on device")
        writes = iter([None] * 5)
        whole = Path.write_bytes

        def write(path, content):
            if next(writes, full) is full:
                raise full
            return whole(path, content)

        patch.setattr(Path, "write_bytes", write)
        again({})  # nothing is new
        again(task1(("ARC", 1, 7)), 2)
    assert written(tmp_path) == before
    if swaps and sys.platform == "linux":
        monkeypatch.delattr(Path, "rename")  # both change places in one step
    again({})
    assert written(tmp_path) != before and not list(tmp_path.glob(".out*"))


def naive(task, folder, board, files, file):
    """Heading → value of a run's cells, by the definitions of the organisers."""
    gold, rows = (folder / board["gold"]).read_text(), [line.split() for line in files[file].splitlines()]
    if task in "12":
        relevant = json.loads(gold)
        right, wanted = sum(row[1] in relevant[row[0]] for row in rows), sum(map(len, relevant.values()))
        return {"F1": 2 * right / (len(rows) + wanted), "Precision": right / len(rows), "Recall": right / wanted}
    if task == "tort":
        decisions = ([json.loads(line)["court_decision"] for line in of.splitlines()] for of in (files[file], gold))
        right = sum(map(bool.__eq__, *decisions))
        return {"Correct": right, "Accuracy": right / len(rows)}
    pairs = re.findall(r'id="(.*?)" label="(.)"><article>(\d+)<', gold)
    pairs = [pair for pair in pairs if pair[0] not in board.get("excluded", ())]
    labels = dict(line.split()[:2] for line in files[file.replace("task3", "answers")].splitlines())
    labelled = [labels[query] == label for query, label, _ in pairs]
    if task == "4":
        return {"Correct": sum(labelled), "Accuracy": sum(labelled) / len(pairs)}
    found = [[row[2] for row in rows if row[0] == query] for query, *_ in pairs]
    r = [float(article in of) for (*_, article), of in zip(pairs, found, strict=True)]
    p = [hit / len(of) for hit, of in zip(r, found, strict=True)]
    both = sum(map(float.__mul__, r, map(float, labelled)))
    f2 = [5 * one * hit / (4 * one + hit) if hit else 0.0 for one, hit in zip(p, r, strict=True)]
    means = {"Accuracy": both, "Labels": sum(labelled), "F2": sum(f2), "P": sum(p), "R": sum(r)}
    counts = {"Returned": len(rows), "Correct": sum(r), "Right": both}
    return counts | {name: value / len(pairs) for name, value in means.items()}


def check_cells(folder, files):
    """Compare every number of the tables of results with the naive ones, and places; how many."""
    compared = 0
    for name, board in results(folder)["tasks"].items():
        runs, rows = board["runs"], board["tables"]["results"]  # behind them a baseline
        for run, row in zip(runs, rows, strict=False):
            assert row["Team"] == run["team"]
            assert "status" in run or run["place"] == int(row["Place"])
            if (file := Path(run["file"]).name) in files:
                expected = naive(name.split()[0], folder, board, files, file)
                assert {key: of for key, of in row.items() if isinstance(of, int | float)} == pytest.approx(expected)
                compared += len(expected)
    return compared


def test_the_numbers_are_those_of_a_naive_script(held, again, tmp_path):
    files = {name: str(of) for at, team in enumerate(made.TEAMS) for sent in made._sent(at, team)
             for name, of in sent.items()}  # fmt: skip
    assert check_cells(held, files) == 3 * (25 + 12) + 8 * 18 + 2 * 18 + 2 * 2
    # with years for reference, and lists that are longer than what is scored
    (tmp_path / "gold").unlink()
    toml, runs, long = 'name = "COLIEE 2027"\nyear = 2027\nmailbox = "mailbox"\nresamples = 99\n', {}, {}
    for task, year, reference in (("3", "R08", ""), ("4", "R08", ""), ("4", "R06", 'reference = "R06"\n')):
        toml += f'[[task]]\ntask = "{task}"\ngold = "gold/{year}.xml"\n{reference}'
    for n in (1, 2, 3):
        runs |= {f"task4-{year}.A{n}": made._labels(f"A{n}", 1, 7 + n, year) for year in ("R08", "R06")}
        runs |= {f"task3.A{n}": made._lists(f"A{n}", n), f"answers.A{n}": made._labels(f"A{n}", 1, 5 + n, "R08")}
        long[f"task3-L.A{n}"] = made._lists(f"A{n}", 99)
    again({"coliee.toml": toml, "mailbox/a.eml": _mailed("A", {**runs, **long}),
           **{f"gold/{year}.xml": made._statutes(year) for year in ("R08", "R06")}})  # fmt: skip
    assert check_cells(tmp_path, runs) == 8 * 3 + 2 * 2 * 3
    runs_of = {name: len(board["runs"]) for name, board in results(tmp_path)["tasks"].items()}
    assert runs_of == dict.fromkeys(("3", "4", "4 R06"), 3)
    assert "tab:task4-R06-results" in (tmp_path / "out/paper/task4-R06-results.tex").read_text()
    kinds = {one["kind"] for one in results(tmp_path)["decide"]}
    assert "refused" not in kinds and ("newest-rules" in kinds) == (NEWEST < 2027)


def test_runs_that_are_not_ranked_are_shown_and_take_no_place(held, again):
    boards = results(held)["tasks"]
    status = {run["tag"]: run.get("status", "") for board in boards.values() for run in board["runs"]}
    assert (status["KIS9"], status["ECHO1s"], status["LEX9"]) == ("replaced by KIS10", "withdrawn", "")
    for task in "13":
        (apart,) = (run for run in boards[task]["runs"] if run.get("status"))
        ranked = [run["ranks"][1] for run in boards[task]["runs"] if not run.get("status")]
        assert (apart["place"], apart["ranks"]) == (None, None) and max(ranked) <= len(ranked)
    # what came after the deadline is late unless the sheet says ranked, and a person must decide
    mails = {f"mailbox/{name}": (held / f"mailbox/{name}").read_bytes() for name in ("late.eml", "corrected.eml")}
    lost = {"mailbox/nil.eml": "From: a@b\nSubject: [submission] NIL\n\nHi\n", "mailbox/.kept/run.txt": "q d T\n"}
    said = again({**mails, **lost, "teams.csv": "tag,team,status\nKIS10,KIS,\n"})
    assert {*re.findall(r"\* (\S+).* \S+/(\S+).* \[passed-over\]", said)} == {("NIL:", "nil.eml"), ("skipped", ".kept")}
    assert mentions(said, "  * LEX LEX9: …2026-01-25 10:00 UTC+09:00… [late]\n")
    assert "no run of Task 2 has arrived [awaited]" in said


_EVIL = made._task1("EVIL1", 9, 5)


@pytest.mark.parametrize(("sent", "said"), [
    ({"EVIL/\udcff.txt": _EVIL}, ""), ({"evil.eml": _mailed("EVIL", {"a.tar": made._tar({"\udcff.txt": _EVIL})})}, ""),
    ({"EVIL/\udcff/run.txt": _EVIL, "EVIL/a.json": '{"000001": ["\\ud800"]}'}, "…unpaired… [refused]"),
])  # fmt: skip
def test_names_and_texts_that_are_not_unicode_stop_no_edition(again, tmp_path, sent, said):
    assert mentions(again({**task1(("ARC", 1, 9)), **{f"mailbox/{name}": of for name, of in sent.items()}}), said)
    assert {run["tag"] for run in results(tmp_path)["tasks"]["1"]["runs"]} == {"ARC1", "EVIL1"}


def test_more_runs_than_allowed_are_scored_once_decided(again, tmp_path):
    again({
        "mailbox/a.eml": _mailed("ARC", {f"ARC{n}.txt": made._task1(f"ARC{n}", 1, 4 + n) for n in (1, 2, 3)}),
        "mailbox/e.eml": _mailed("EVIL", {f"{n}.txt": made._task1(f"E{n}", 2, 9) for n in range(4)}),
        **task1(("ARC", 4, 9), ("KIS", 0, 5), ("KIS", 1, 5), ("KIS", 2, 5)),
        "mailbox/KIS/old.txt": _EVIL.replace("0000", "0009"),
    })  # fmt: skip

    def ranked():
        runs = results(tmp_path)["tasks"]["1"]["runs"]
        return {team: sum(run["team"] == team for run in runs) for team in ("ARC", "KIS", "EVIL")}

    # those of a sender in doubt, and what answers other questions, do not count against a team
    assert ranked() == {"ARC": 4, "KIS": 3, "EVIL": 0}
    decisions = {one["team"]: one["key"] for one in results(tmp_path)["decide"] if one["kind"] == "many-runs"}
    assert decisions.keys() == {"EVIL"}
    (letter,) = (tmp_path / "out/desk/receipt").glob("evil*")
    text = letter.read_text()
    assert "4 runs of Task 1 came, and a team may send 3" in text and "E0, E1, E2, E3" in text
    again({"teams.csv": "tag,team,status\nE2,EVIL,ranked\n"})
    assert ranked() == {"ARC": 4, "KIS": 3, "EVIL": 1} and "E0, E1, E3" in letter.read_text()
    again({"coliee.toml": f'settled = ["{decisions["EVIL"]}"]\n' + QUICK})
    assert ranked() == {"ARC": 4, "KIS": 3, "EVIL": 4} and "may send" not in letter.read_text()


def test_the_desk_has_a_letter_for_every_team(held):
    desk = held / "out/desk"
    mails = {path: email.message_from_bytes(path.read_bytes(), policy=default) for path in desk.glob("*/*.eml")}
    letters, senders = dict[str, str](), dict[str, str]()
    for mail in mails.values():
        team = mail["Subject"].split()[-1]
        letters[team] = letters.get(team, "") + mail.get_content()
        senders[team] = mail["To"]
    assert letters.keys() == {*made.TEAMS, "OMEGA"} and {path.parent.name for path in mails} == {"receipt"}
    assert senders["KIS"] is not None and senders["ARC"] is None  # whose files lie in a folder
    index = (desk / "index.html").read_text()
    assert index.index("<span>OMEGA<") < index.index("<span>BLUE<")  # faults first
    assert "<span>LEX</span> <span>Tasks 1, 4, tort</span>" in index
    assert all(f'href="{path.relative_to(desk)}"' in index and not path.name.startswith("-") for path in mails)
    files = {row["file"] for row in results(held)["received"] if row["team"]}
    assert all(any(file.removeprefix("mailbox/") in text for text in letters.values()) for file in files)
    for team, words in {
        "OMEGA": "runs.rar|cannot be scored|No system description", "KIS": "KIS10|Task 3", "LEX": "LEX8|line 19",
        "FOX": "tag-words", "京都大学": "results.xlsx|KYOTO2e",
    }.items():  # fmt: skip
        assert all(word in letters[team] for word in words.split("|")), team
    assert not re.search(r"\bplace|[01]\.\d{4}|[Gg]old|judge", " ".join(letters.values()))
    assert str(held) not in "".join([index, *letters.values()])
    key = next(one["key"] for one in results(held)["decide"] if one["kind"] == "perfect-score")
    assert f"<td>&quot;{key}&quot;</td>" in index and "<td>ARC/task4.ARCbest,ARC,,,disqualified</td>" in index


def test_a_letter_says_all_and_only_what_its_team_may_use(again, tmp_path):
    told = 'phase = "results"\n' + QUICK + '[[task]]\ntask = "rationale"\ngold = "gold/tort.jsonl"\n'
    torts = re.sub('"court_decision": (true|false)', '"court_decision": null', made._torts(1, 5), count=1)
    form = json.dumps({f"{n:06}.txt": [f"{n + 501:06}.txt"] for n in range(1, 21)})
    again({
        "coliee.toml": told, "teams.csv": "tag,team,status\nKIS0,KIS,ranked\nKIS1,KIS,ranked\n",
        "mailbox/k.eml": _mailed("KIS", {f"{n}.txt": made._task1(f"KIS{n}", 3, 5) for n in range(5)}),
        "mailbox/c.eml": _mailed("CNULL", {"1.jsonl": torts}), "mailbox/j.eml": _mailed("CJSON", {"1.json": form}),
    })  # fmt: skip
    letters = {path.parent.name + path.name[:2]: path.read_text() for path in tmp_path.glob("out/desk/*/*.eml")}
    assert letters["resultski"].count("MicroF1") == 2 and "3 runs of 5" in letters["resultski"]
    assert "null" in letters["resultscn"] and "RationaleF1" in letters["resultscn"]
    assert "Task rationale" in letters["receiptcn"] and "Task tort" in letters["receiptcn"]
    assert "coliee-ir convert" in letters["receiptcj"] and "gold" not in letters["receiptcj"]


def test_results_are_told_in_their_phase(again, tmp_path):
    best = {"mailbox/ARC/best.txt": made._task1("ARC2", 0, 20) + "000020 000520 ARC2\n"}
    again({**task1(("ARC", 1, 9), ("KIS", 1, 9)), **best})
    assert not list((tmp_path / "out/desk").glob("results"))
    keys = [one["key"] for one in results(tmp_path)["decide"]]
    told = 'phase = "results"\n' + f"settled = {json.dumps(keys)}\n" + QUICK
    assert "open decision" not in again({"coliee.toml": told})
    (letter,) = (tmp_path / "out/desk/results").glob("kis*")
    assert "KIS1: place 2 of 3" in letter.read_text() and "ARC" not in letter.read_text()
    again({"mailbox/KIS/again.txt": made._task1("KIS1", 1, 5)})  # two runs of a team with one tag are told apart
    assert {"KIS1 (KIS/1.txt)", "KIS1 (KIS/again.txt)"} == {*re.findall(r"KIS1 \(.*?\)", letter.read_text())}
    (tmp_path / "mailbox/KIS/again.txt").unlink()
    # other facts are another decision, and a key without its figure settles those too
    changed = {"mailbox/ARC/third.txt": "000001 000501 ARC3\n" * 2, "mailbox/ARC/desc.docx": b"PK\x03\x04"}
    assert "[undescribed]" in again({**changed, "coliee.toml": told.replace("undescribed KIS", "x")})
    bare = [key.rpartition(" ")[0] for key in keys]
    assert "undescribed" not in again({"coliee.toml": f"settled = {json.dumps(bare)}\n" + QUICK})


def test_an_edition_packs_its_bundles(again, tmp_path):
    two = QUICK[: QUICK.index("[[task]]", QUICK.index('task = "2"'))]
    again({**task1(("ARC", 1, 6)), "coliee.toml": two + '[codabench]\nimage = "me/scorer"\n'})
    assert {path.name for path in (tmp_path / "out/codabench").iterdir()} == {"task1.zip", "task2.zip"}
    with zipfile.ZipFile(tmp_path / "out/codabench/task2.zip") as bundle:
        held = yaml.safe_load(bundle.read("competition.yaml"))
        assert str(held["phases"][0]["end"]) == "2026-01-20 14:59:59+00:00"
        assert held["title"].startswith("COLIEE 2026, Task 2") and "2026-01-20T14:59:59Z" in held["description"]
        rules = json.loads(zipfile.ZipFile(io.BytesIO(bundle.read("reference_data.zip"))).read("rules.json"))
    assert rules["task"] == "2" and "unanswered" in rules["decisions"]


#: what the list of teams says of KIS's runs, one after another → their statuses, and of which one is asked
STATUSES = {
    "Ranked": ("|", ""), " WITHDRAWN ": ("withdrawn|", ""), "disqualified": ("disqualified|", ""),
    "Unofficial": ("unofficial|", ""), "late": ("late|", ""), "Replaced  by KIS2": ("replaced by KIS2|", ""),
    "maybe": ("|", "KIS1"), "replaced by KIS9": ("replaced by KIS9|", "KIS1"),
    "replaced by KIS1": ("replaced by KIS1|", "KIS1"),
    "replaced by KIS2|replaced by KIS1": ("replaced by KIS2|replaced by KIS1", "KIS1 KIS2"),
    # in the column of systems
    ",withdrawn": ("|", "KIS1"), ", Replaced by KIS2": ("|", "KIS1"), ",late interaction": ("|", ""),
}  # fmt: skip


@pytest.mark.parametrize("told", STATUSES)
def test_a_status_is_known_or_asked_about(again, tmp_path, told):
    statuses, asked = STATUSES[told]
    rows = "".join(f"KIS{n},KIS,{cells}\n" for n, cells in enumerate(told.split("|"), 1))
    runs = task1(*(("KIS", n, 5 + n) for n in range(1, 2 + statuses.count("|"))))
    again({**runs, "teams.csv": f"tag,team,status,system\n{rows}"})
    found = results(tmp_path)
    known = {run["tag"]: run.get("status", "") for run in found["tasks"]["1"]["runs"]}
    assert known == {f"KIS{n}": of for n, of in enumerate(statuses.split("|"), 1)}
    decide = {(one["kind"], one["run"]) for one in found["decide"] if one["run"]}
    assert decide == {("status", run) for run in asked.split()}
    page = "".join(path.read_text() for path in tmp_path.glob("out/public/task-1.html"))
    shown = {tag for tag, status in known.items() if status in ("", "late", "unofficial")}
    assert {tag for tag in known if f"{tag}<" in page} == shown


def test_only_what_is_new_is_marked_and_old_files_go(again, tmp_path):
    again({f"mailbox/A/task1.A{n}.txt": made._task1(f"A{n}", 0, n) for n in (3, 4)})
    (tmp_path / "out/desk/notes.txt").write_text("mine")
    (old,) = (tmp_path / "out/desk/receipt").glob("*.eml")
    (tmp_path / "mailbox/A").rename(tmp_path / "mailbox/B")
    said = again({"mailbox/C/task1.A3.txt": made._task1("A3", 1, 9)})
    assert "3 new files of B, C; 3 files in all\n" in said
    assert mentions(said, "  * A3: …[shared-tag]\n") and mentions(said, "    no run of Task 2 has arrived [awaited]\n")
    assert not old.exists() and (tmp_path / "out/desk/notes.txt").read_text() == "mine"


WRONG = {
    "the name is missing": ('name = "COLIEE 2026"\n', "", "name"),
    "an unknown key": ("year =", "yeer =", "yeer"),
    "a deadline without a zone": ("+09:00", "", "deadline"),
    "a task without a gold": ('gold = "gold/task1.json"', "", "[[task]] 1, gold"),
    "a mailbox that is not there": ('"mailbox"', '"nothing"', "mailbox"),
    "an unknown task": ('task = "1"', 'task = "9"', "[[task]] 1, task"),
    "a task twice": ('task = "1"', 'task = "2"', "task"),
    "a task and the rules of another": ('task = "1"', 'task = "2"\nprotocol = "1"', "[[task]] 1, task"),
    "an unknown phase": ("year = 2026", 'phase = "x"', "phase"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_file_that_is_wrong_is_refused(case, again):
    old, new, named = WRONG[case]
    write({"c.toml": FILE.replace(old, new, 1), "mailbox/x": ""})
    with refusing(InputError, "[protocol]") as caught:
        read_edition("c.toml")
    assert str(caught.value).startswith(f"c.toml: {named}: ")


def test_what_stops_an_edition(again, here, call):
    again({"mailbox/A/task1.A3.txt": made._task1("A3", 0, 3), "teams.csv": "tag,status\nA3,late\n"}, 2)
    again({"teams.csv": SHEET, "coliee.toml": FILE.replace("R07-16-U", "R07-99-U")}, 2)
    write({"coliee.toml": FILE})
    for given in (["coliee.toml"], ["coliee.toml", "-o", "mailbox/out"], ["none.toml", "-o", "out"]):
        failing(call, "edition", *given)
    assert not (here / "out").exists()


def test_a_new_edition_is_asked_for(again, here, monkeypatch, call):
    golds = "gold/task1.json gold/statute.xml gold/tort.jsonl"
    answers = ["COLIEE 2027", "", "my box", golds, "", "2027-01-20T23:59:59+09:00", "teams.csv", ""]

    def new(changes, *words):
        replies = iter([changes.get(at, answer) for at, answer in enumerate(answers)])
        monkeypatch.setattr("builtins.input", lambda _: next(replies))
        return call("edition", "new", *words)[0]

    (here / "coliee.toml").unlink()
    (here / "my box").mkdir()
    assert new({}) == 0
    read = read_edition("coliee.toml")
    assert [part.task for part in read.tasks] == ["1", "3", "4", "tort", "rationale"]
    assert (read.name, read.year, read.public.hide_gold, read.teams) == ("COLIEE 2027", 2027, True, "teams.csv")
    assert read.mailbox == ("my box",) and read.deadline == datetime.fromisoformat(answers[5])
    assert new({}) == 2  # it is there already
    write({"own.toml": 'task = "own"\ntitle = "x"\nsource = "x"\nparts = ["documents"]\nmeasures = ["MicroF1"]\n'})
    assert new({4: "1 3,4 own.toml", 7: "No"}, "-o", "own.out") == 0
    assert [part.task for part in read_edition("own.out").tasks] == ["1", "3", "4", "own"]
    assert not read_edition("own.out").public.hide_gold
    for at, wrong in ((5, "20 January"), (0, ""), (2, "none"), (6, "none.csv"), (3, "gold/none.json"), (4, "1 2"),
                      (4, "1 9 tort"), (1, "x")):  # fmt: skip
        assert new({at: wrong}, "-o", "other.toml") == 2
    monkeypatch.setattr("builtins.input", lambda _: (_ for _ in ()).throw(EOFError()))
    assert call("edition", "new", "-o", "other.toml")[0] == 2
    assert not Path("other.toml").exists()
