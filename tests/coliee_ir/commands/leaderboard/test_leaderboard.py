"""The leaderboard from files: what belongs together, whose it is, who stands where, and what is left out."""

import json
import re

import one_step
import pytest
from asserting import done, failing, heard, matches, mentions, refusing
from parsed_page import Parsed
from sent import write

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Run, evaluate_all, leaderboard

QUERIES = [f"{n:06}" for n in range(1, 21)]
GOLD = {query: [f"{n:06}"] for n, query in enumerate(QUERIES, start=101)}


def run_lines(right, tag):
    """A run of one document a query, of which so many are right."""
    return "".join(f"{q} {GOLD[q][0] if at < right else '999999'} {tag}\n" for at, q in enumerate(QUERIES))


@pytest.fixture(autouse=True)
def folder(here):
    write({"gold.json": json.dumps(GOLD)})
    return here


def runs_of(folder, **right):
    """Runs of a folder, of which so many queries are right."""
    write({f"{folder}/{name}.txt": run_lines(n, name.replace("/", "")) for name, n in right.items()})


def standing(board):
    return [(entry.place, entry.team, entry.tag) for entry in board.entries]


def rank(*submissions, gold="gold.json", **options):
    return one_step.leaderboard(gold, *submissions, **{"task": "1", "n_resamples": 99, **options})


def test_ties_are_broken_as_the_edition_says():
    write({"gold.xml": STATUTE})
    for tag, length in {"WIDE": 6, "NARROW": 2, "SAME": 2}.items():  # the shorter, the higher F2
        write({f"runs/task3.{tag}": articles(tag, length=length), f"runs/answers.{tag}": answers(tag, 5)})
    board = rank("runs", gold="gold.xml", task=None, edition=2026)
    assert (board.task, board.ranking.name) == ("3", "Accuracy")
    assert {entry.scores.measures["Accuracy"] for entry in board.entries} == {5 / 6}
    assert standing(board) == [(1, "", "NARROW"), (1, "", "SAME"), (3, "", "WIDE")]


def test_the_best_run_of_each_team_is_ranked_alone():
    runs_of("all", **{"A/one": 3, "A/two": 12, "B/one": 9, "C/one": 5, "C/two": 5})
    board = rank("all", best=True)
    assert standing(board) == [(1, "A", "Atwo"), (2, "B", "Bone"), (3, "C", "Cone")]
    assert mentions(heard(board.remarks), "[left-out] 2 runs … are …")
    runs_of("none", a=3, b=9)
    board = rank("none", best=True)  # without any team every run is the best of its own
    assert len(board.entries) == 2 and mentions(heard(board.remarks), "[team-list]…")
    # which is compared as the best of all that its team sent
    runs_of("two", **{"A/12": 12, "B/3": 3})
    assert [str(entry.ranks) for entry in rank("two", best=True, n_resamples=999).entries] == ["1", "2"]
    runs_of("two", **{f"A/x{n}": n for n in range(4, 11)})
    among = rank("two", best=True, n_resamples=999)
    assert [(entry.tag, entry.ranks.best) for entry in among.entries] == [("A12", 1), ("B3", 2)]
    assert rank("two", n_resamples=999).entries[0].ranks.worst > 1  # among its own runs it is not alone


def test_the_team_is_the_first_folder_below_what_all_share(folder):
    write({"all/A/final/x.txt": run_lines(3, "x"), "all/B/y.txt": run_lines(9, "y"), "all/z.txt": run_lines(1, "z")})
    for given in (["all"], ["all/A", "all/B", "all/z.txt"],
                  ["all/../all/A/final/x.txt", "all/B/y.txt", f"{folder}/all/z.txt"]):  # fmt: skip
        assert standing(rank(*given)) == [(1, "B", "y"), (2, "A", "x"), (3, "", "z")]


def test_the_team_from_a_list_goes_before_the_folder():
    runs_of("all", **{"F/UA1": 9, "F/UA2": 8, "F/other": 7, "G/y": 1})
    write({"all/teams.csv": "Team;Tag\nKIS;FUA2\nX;elsewhere\n"})
    board = rank("all", teams="all/teams.csv")
    assert standing(board) == [(1, "F", "FUA1"), (2, "KIS", "FUA2"), (3, "F", "Fother"), (4, "G", "Gy")]
    assert not board.invalid
    assert standing(rank("all/F", teams={"UA1.txt": "by file"}))[0] == (1, "by file", "FUA1")
    write({"unclear.csv": "tag,team,status\nGy,G,maybe\n"})
    assert mentions(heard(rank("all", teams="unclear.csv").remarks), "all/G/y.txt: … maybe … [status]")
    write({f"twice/F/{n}.txt": run_lines(n, "T") for n in (3, 4)})
    board = rank("twice", teams={"T": "KIS"})
    assert mentions(heard(board.remarks), "[team-list]…twice/F/3.txt…") and len(board.entries) == 2


@pytest.mark.parametrize(("text", "said"), [
    ("name,country\nA,JP\n", "t.csv, line 1: [missing-column] (found 'name,country')"),
    ("tag,team\nA,X\nA,Y\n", "t.csv, line 3: [conflicting] X … (found 'A')"),
    ("tag,team,status\n,KIS,ranked\n,Kis,withdrawn\n", "t.csv, line 3: [conflicting] …"),
    ('tag,team\n"A,X\n', "t.csv, line 2: [syntax] unexpected end of data …"),
])  # fmt: skip
def test_a_list_of_teams_that_cannot_be_read(text, said):
    write({"a.txt": run_lines(1, "A"), "t.csv": text})
    with refusing(InputError, said):
        rank("a.txt", teams="t.csv")
    write({"t.csv": "tag,team\n"})  # of which nobody is listed yet
    assert len(rank("a.txt", teams="t.csv").entries) == 1


def test_withdrawn_runs_are_not_public_and_late_ones_are_marked():
    status = {"a": "", "gone": "withdrawn", "late": "late", "old": "replaced by new", "new": ""}
    runs_of("all", a=12, gone=20, late=19, old=15, new=9)
    write({"teams.csv": "tag,team,status\n" + "".join(f"{tag},T{tag},{of}\n" for tag, of in status.items())})
    board = rank("all", teams="teams.csv")
    assert {entry.tag for entry in board.entries} == {*status}
    shown = [(entry.tag, entry.place, entry.status) for entry in board.public.entries]
    assert shown == [("a", 1, ""), ("new", 2, ""), ("late", 0, "late")]
    table = board.public.table("results")
    run, rank_, f1 = (table.header.index(name) for name in ("Run", "Rank 95%", "F1"))
    assert table.rows[-1][rank_] == "late" and board.public.best == board.best  # of those that are ranked
    assert [row[run] for row in table.rows if getattr(row[f1], "bold", False)] == ["a"]


PAIRS = (f'<pair id="R02-{n}-A" label="Y"><article>{n}</article></pair>' for n in range(1, 7))
STATUTE = f"<dataset>{''.join(PAIRS)}</dataset>"


def articles(tag, right=6, length=1):
    ranked = ((n, at, 599 + at if at else n if n <= right else 500) for n in range(1, 7) for at in range(length))
    return "".join(f"R02-{n}-A Q0 {article} {at + 1} {200 - at} {tag}\n" for n, at, article in ranked)


def answers(tag, right=6):
    return "".join(f"R02-{n}-A {'Y' if n <= right else 'N'} {tag}".rstrip() + "\n" for n in range(1, 7))


#: an edition and the files of a folder → the teams and tags that are ranked, and the files that are not
TOGETHER = {
    "a set and its long list": (
        2025, {"T/task3.A": articles("A", 4), "T/task3-L.A": articles("A", 6, 100)}, ["T A"], []),
    "a long list alone": (
        2025, {"task3-L.A": articles("A", 6, 100), "task3.B": articles("B")}, [" B"], ["all/task3-L.A"]),
    "parts across folders and names": (
        2026, {"T/articles/x.txt": articles("A"), "T/answers/y.txt": answers("A", 5)}, ["T A"], []
    ),
    "answers without a tag beside the only articles": (
        2026, {"T/task3.A": articles("A"), "T/mine.txt": answers("", 5)}, ["T A"], []
    ),
    "one part without the other": (
        2026, {f"{part}.{tag}": of(tag) for part, of, tags in (("task3", articles, "AC"), ("answers", answers, "BC"))
               for tag in tags}, [" C"], ["all/answers.B", "all/task3.A"]
    ),
    "one tag, told apart by team, folder and name": (
        2026,
        {place.format(part): articles("x") if part == "task3" else answers("x", 6 - at)
         for at, place in enumerate(["A/{}.x", "B/{}.x", "C/one/{}", "C/two/{}", "D/{}.1", "D/{}.2"])
         for part in ("task3", "answers")},
        ["A x", "B x", "C x", "C x", "D x", "D x"], [],
    ),
    "what cannot be paired": (
        2026, {"task3.p": articles("x"), "task3.q": articles("x", 3), "answers.z": answers("x")},
        [], ["all/answers.z", "all/task3.p", "all/task3.q"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
def test_what_belongs_together_is_one_submission(name):
    edition, files, ranked, refused = TOGETHER[name]
    write({"gold.xml": STATUTE, **{f"all/{path}": text for path, text in files.items()}})
    board = rank("all", gold="gold.xml", task="3", edition=edition)
    assert [f"{entry.team} {entry.tag}" for entry in board.entries] == ranked
    assert sorted(file for one in board.invalid for file in one.files) == refused
    if name == "one part without the other":  # of articles alone, rules are named by which they rank
        assert [one.files[0] for one in board.invalid if "--edition 2025" in one.reason] == ["all/task3.A"]


def test_answers_of_another_task_are_passed_over_unless_named():
    write({"gold.xml": STATUTE, "all/task3.A": articles("A"), "all/task4.A": answers("A")})
    board = rank("all", gold="gold.xml", task="3", edition=2025)
    assert standing(board) == [(1, "", "A")] and mentions(heard(board.remarks), "skipped 1 [passed-over]: all/task4.A")
    board = rank("all/task3.A", "all/task4.A", gold="gold.xml", task="3", edition=2025)
    assert [one.reason.kind for one in board.invalid] == ["wrong-part"]


def test_what_cannot_be_scored_is_listed(call):
    write({"all/good.txt": run_lines(9, "good"), "all/T/empty.txt": "", "all/T/other.txt": "999999 000013 other\n",
           "all/T/broken.json": '{"000001": ', "all/.hidden": "x", "all/__MACOSX/junk": "x"})  # fmt: skip
    code, out, err = call("leaderboard", "gold.json", "all", "absent.txt", "--task", "1", "--resamples", "99")
    assert (code, out.splitlines()[1].split()[2]) == (2, "good")
    assert sorted(re.findall(r"(?m)^coliee-ir: not ranked: (.*?):", err)) == [
        "absent.txt", "all/T/broken.json, line 1, column 12", "all/T/empty.txt", "all/T/other.txt"
    ]  # fmt: skip
    assert {(one.team, one.tag) for one in rank("all").invalid} == {("T", ""), ("T", "other")}


def test_the_gold_and_lists_in_a_folder_are_no_submissions(call):
    write({"a.txt": run_lines(9, "a"), "teams.csv": "tag,team\na,T\n", "c.csv": "query,category\n000001,x\n"})
    given = ["--teams", "teams.csv", "--categories", "c.csv", "--task", "1", "--resamples", "99"]
    assert mentions(done(call, "leaderboard", "gold.json", ".", *given)[1], "[passed-over] gold.json …")


def test_nothing_to_rank(folder, call):
    (folder / "all").mkdir()
    for given, said in (["all"], "[empty] all …"), ([], "[no-run]"):
        with refusing(UsageError, said):
            rank(*given)
    for options in ({"teams": 5}, {"n_resamples": 0}, {"seed": -1}, {"confidence_level": 1.0}):
        with refusing(UsageError, "[bad-value]"):
            rank({"q1": ["a"]}, **options)
    assert mentions(failing(call, "leaderboard", "-", "-"), "[named-twice]")
    write({"all/x.txt": ""})
    assert matches(failing(call, "leaderboard", "gold.json", "all", "--task", "1"), "… all/x.txt: …\n")


def test_runs_from_memory():
    runs = [Run.of({query: GOLD[query] for query in QUERIES[:n]}, tag="same") for n in (5, 9)]
    wrong = {query: ["x"] for query in QUERIES} | {QUERIES[0]: GOLD[QUERIES[0]]}
    board = one_step.leaderboard(GOLD, *runs, wrong, task="1", n_resamples=99)
    assert standing(board) == [(1, "", "same"), (2, "", "same"), (3, "", "run")]
    assert board.names() == ["same (2)", "same", "run"]  # numbered in the order given
    by_recall = leaderboard(evaluate_all(GOLD, runs, task="1"), measure="MicroR", n_resamples=9)
    assert [*by_recall.entries[0].scores.measures] == ["MicroR", "MicroF1", "MicroP"]


def test_the_json_holds_everything_and_repeats_to_the_byte(call):
    runs_of("all", **{"T3/a": 3, "T9/b": 9})
    write({"all/bad.txt": ""})
    given = ["leaderboard", "gold.json", "all", "--task", "1"]
    code, first, _ = call(*given, "-f", "json")
    assert (code, call(*given, "-f", "json", "--jobs", "2")[1]) == (2, first)
    told = json.loads(first)
    assert [(run["place"], run["team"], run["tag"], run["measures"]["MicroF1"]) for run in told["runs"]] == [
        (1, "T9", "T9b", 0.45), (2, "T3", "T3a", 0.15)
    ]  # fmt: skip
    invalid = {"files": ["all/bad.txt"], "tag": "", "team": "", "reason": "all/bad.txt: …", "kind": "empty"}
    assert matches(heard(told["invalid"]), [invalid])
    assert (told["measure"], told["tie_break"], told["judged"], told["resamples"]) == ("MicroF1", [], 20, 0)
    assert told["tables"].keys() == {"ranking", "results", "data", "relevant", "questions", "invalid"}
    assert told["tables"]["invalid"][0]["files"] == "bad.txt"  # the folder of all is not said
    row = {"Place": "1", "Team": "T9", "File": "b.txt", "Run": "T9b", "F1": 0.45, "Precision": 0.45, "Recall": 0.45,
           "Rank 95%": "1", "Interval 95%": "[.238, .682]"}  # fmt: skip
    assert told["tables"]["results"][0] == row
    # as CSV one table
    code, out, _ = call(*given, "-f", "csv", "--table", "results")
    assert code == 2 and out.splitlines()[:2] == [",".join(row), '1,T9,b.txt,T9b,0.45,0.45,0.45,1,"[.238, .682]"']
    page = Parsed(call(*given, "-f", "html")[1])
    assert page.open == [] and {"#results", "#questions"} <= {*page.values("href")}


def test_the_best_is_named_only_where_it_is_better_than_each_other():
    def of(*right):
        write({f"of{len(right)}/{n}.txt": "".join(
            f"{q} {GOLD[q][0] if at in kept else '999999'} r{n}\n" for at, q in enumerate(QUERIES))
            for n, kept in enumerate(right)})  # fmt: skip
        board = rank(f"of{len(right)}", n_resamples=999)
        found = [(run["ranks"], run["may_be_best"]) for run in board.to_dict()["runs"]]
        for entry in board.entries:
            assert entry.interval.low <= entry.scores.measures["MicroF1"] <= entry.interval.high
        assert (board.best == "") == (not board.notes())
        return board.best, found

    assert of(range(18)) == ("", [([1, 1], True)])  # there is nothing to be better than
    assert of(range(18), range(5)) == ("the best is r0", [([1, 1], True), ([2, 2], False)])
    may_be = "the best may be any of: r0, r1"
    assert of(range(18), range(13), range(4)) == (may_be, [([1, 2], True), ([1, 2], True), ([3, 3], False)])


def test_groups_of_queries_count_as_one(call):
    runs_of("all", a=18, b=5)
    write({"groups.txt": "".join(f"{query} g{at // 10}\n" for at, query in enumerate(QUERIES))})
    shown, _ = done(call, "leaderboard", "gold.json", "all", "--task", "1", "--groups", "groups.txt")
    assert "20 queries in 2 groups" in shown and "The best may be any of: a, b.\n" in shown
