"""The leaderboard from files: what belongs together, whose it is, who stands where, and what is left out."""

import json
import os
from pathlib import Path

import one_step
import pytest
from asserting import heard, matches, mentions, refusing
from parsed_page import Parsed

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Answers, Gold, Run, Submission, evaluate_all, leaderboard
from coliee_ir.cli import main
from coliee_ir.commands.compare import compare

QUERIES = [f"{n:06}" for n in range(1, 21)]
GOLD = {query: [f"{n:06}"] for n, query in enumerate(QUERIES, start=101)}


def run_lines(right, tag, queries=QUERIES):
    """A run of one document a query, of which so many are right."""
    documents = (GOLD[query][0] if at < right else "999999" for at, query in enumerate(queries))
    return "".join(f"{query} {document} {tag}\n" for query, document in zip(queries, documents, strict=True))


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path, {"gold.json": json.dumps(GOLD)})


def standing(board):
    return [(entry.place, entry.team, entry.tag) for entry in board.entries]


def rank(*submissions, gold="gold.json", **options):
    return one_step.leaderboard(gold, *submissions, **{"task": "1", "n_resamples": 99, **options})


# places


def test_equal_runs_have_equal_places_and_the_next_place_is_left_out(folder):
    write(folder, {f"all/{tag}.txt": run_lines(n, tag) for tag, n in {"d": 3, "b": 9, "a": 12, "c": 9}.items()})
    assert standing(rank("all")) == [(1, "", "a"), (2, "", "b"), (2, "", "c"), (4, "", "d")]


def test_ties_are_broken_as_the_edition_says(folder):
    write(folder, {"gold.xml": STATUTE})
    for tag, length in {"WIDE": 6, "NARROW": 2, "SAME": 2}.items():  # the shorter, the higher F2
        write(folder, {f"runs/task3.{tag}": articles(tag, length=length), f"runs/answers.{tag}": answers(tag, 5)})
    board = one_step.leaderboard("gold.xml", "runs", edition=2026, n_resamples=99)
    assert (board.task, board.ranking.name) == ("3", "Accuracy")
    assert {entry.scores.measures["Accuracy"] for entry in board.entries} == {5 / 6}
    assert standing(board) == [(1, "", "NARROW"), (1, "", "SAME"), (3, "", "WIDE")]


def test_the_best_run_of_each_team_is_ranked_alone(folder):
    runs = {"A/one": 3, "A/two": 12, "B/one": 9, "C/one": 5, "C/two": 5}
    write(folder, {f"all/{name}.txt": run_lines(n, name.replace("/", "")) for name, n in runs.items()})
    board = rank("all", best=True)
    assert standing(board) == [(1, "A", "Atwo"), (2, "B", "Bone"), (3, "C", "Cone")]
    assert mentions(heard(board.remarks), "[left-out] 2 runs … are …")
    assert len(rank("all").entries) == 5
    write(folder, {f"none/{tag}.txt": run_lines(n, tag) for tag, n in {"a": 3, "b": 9}.items()})
    board = rank("none", best=True)  # without any team every run is the best of its own
    assert len(board.entries) == 2
    assert any("[team-list]" in heard(remark) for remark in board.remarks)


def test_runs_that_cannot_be_told_apart_may_have_each_others_rank(folder):
    write(folder, {f"all/{tag}.txt": run_lines(n, tag) for tag, n in {"a": 19, "b": 18, "c": 4, "d": 3}.items()})
    board = rank("all", n_resamples=999)
    assert [str(entry.ranks) for entry in board.entries] == ["1–2", "1–2", "3–4", "3–4"]
    assert all(entry.interval.low <= entry.scores.measures["MicroF1"] <= entry.interval.high for entry in board.entries)


# teams


def test_the_team_is_the_first_folder_below_what_all_share(folder):
    write(
        folder,
        {"all/A/final/x.txt": run_lines(3, "x"), "all/B/y.txt": run_lines(9, "y"), "all/z.txt": run_lines(1, "z")},
    )
    expected = [(1, "B", "y"), (2, "A", "x"), (3, "", "z")]
    assert standing(rank("all")) == expected
    assert standing(rank("all/A", "all/B", "all/z.txt")) == expected
    assert standing(rank("all/../all/A/final/x.txt", "all/B/y.txt", str(folder / "all/z.txt"))) == expected


def test_the_team_from_a_list_goes_before_the_folder(folder):
    runs = {"F/one.txt": run_lines(9, "UA1"), "F/two.txt": run_lines(8, "UA2"), "F/three.txt": run_lines(7, "other")}
    write(folder, {f"all/{name}": text for name, text in runs.items()})
    write(folder, {"all/teams.csv": "Team;Tag\nKIS;UA2\nX;elsewhere\n", "all/G/y.txt": run_lines(1, "y")})
    board = rank("all", teams="all/teams.csv")
    assert standing(board) == [(1, "F", "UA1"), (2, "KIS", "UA2"), (3, "F", "other"), (4, "G", "y")]
    assert not board.invalid
    by_file = rank("all/F", teams={"one.txt": "by file"})
    assert standing(by_file)[0] == (1, "by file", "UA1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,country\nA,JP\n", "t.csv, line 1: [missing-column] (found 'name,country')"),
        ("tag,team\nA,X\nA,Y\n", "t.csv, line 3: [conflicting] X … (found 'A')"),
        ("\n", "t.csv: [empty]"),
        ("tag,team\nA,X,Y\n", "t.csv, line 2: [columns] 3 … 2 … (found 'A,X,Y')"),
        ('tag,team\n"A,X\n', "t.csv, line 2: [syntax] unexpected end of data …"),
    ],
)  # fmt: skip
def test_a_list_of_teams_that_cannot_be_read(text, said, folder):
    write(folder, {"a.txt": run_lines(1, "A"), "t.csv": text})
    with refusing(InputError, said):
        rank("a.txt", teams="t.csv")
    write(folder, {"t.csv": "tag,team\n"})  # of which nobody is listed yet
    assert len(rank("a.txt", teams="t.csv").entries) == 1


def test_withdrawn_runs_are_not_public_and_late_ones_are_marked(folder):
    runs = {"a": 12, "gone": 20, "late": 19, "old": 15, "new": 9}
    write(folder, {f"all/{tag}/{tag}.txt": run_lines(n, tag) for tag, n in runs.items()})
    status = {"gone": "withdrawn", "late": "late", "old": "replaced by new"}
    rows = "".join(f"{tag},T{tag},{status.get(tag, '')}\n" for tag in runs)
    write(folder, {"teams.csv": f"tag,team,status\n{rows}"})
    board = rank("all", teams="teams.csv")
    assert {entry.tag for entry in board.entries} == {*runs}
    assert [(e.tag, e.place, e.status) for e in board.public.entries] == [
        ("a", 1, ""), ("new", 2, ""), ("late", 0, "late")
    ]  # fmt: skip
    table = board.public.table("results")
    assert [row[table.header.index("Rank 95%")] for row in table.rows][-1] == "late"
    best = [row[table.header.index("Run")] for row in table.rows if getattr(row[table.header.index("F1")], "bold", 0)]
    assert (best, board.public.best) == (["a"], board.best)  # of those that are ranked


# what belongs together


STATUTE = (
    "<dataset>"
    + "".join(f'<pair id="R02-{n}-A" label="Y"><article>{n}</article></pair>' for n in range(1, 7))
    + "</dataset>"
)


def articles(tag, right=6, length=1, prefix=""):
    rows = []
    for n in range(1, 7):
        first = [n] if n <= right else [500]
        ranked = [*first, *range(600, 600 + length - 1)]
        rows += [f"R02-{n}-A Q0 {article} {at} {200 - at} {tag}" for at, article in enumerate(ranked, start=1)]
    return prefix + "\n".join(rows) + "\n"


def answers(tag, right=6):
    return "".join(f"R02-{n}-A {'Y' if n <= right else 'N'} {tag}".rstrip() + "\n" for n in range(1, 7))


def test_an_answer_set_and_its_long_list_are_one_submission(folder):
    write(folder, {"gold.xml": STATUTE, "all/T/task3.A": articles("A", 4), "all/T/task3-L.A": articles("A", 6, 100)})
    write(folder, {"all/T/task3.B": articles("B", 3)})
    board = rank("all", gold="gold.xml", task="3", edition=2025)
    assert [(entry.tag, entry.scores.measures.get("MicroR@5")) for entry in board.entries] == [("A", 1.0), ("B", None)]
    assert board.entries[0].scores.others == {"long_list": "all/T/task3-L.A"}
    shown = board.table("results")
    theirs = ["Returned", "Retrieved", "F2", "P", "R", "MAP", "R@5", "R@10", "R@30"]
    assert [name for name in shown.header if name in theirs] == theirs
    assert getattr(shown.rows[1][shown.header.index("R@30")], "text", "") == "-"


def test_equal_runs_of_several_teams_are_told_once(folder):
    files = {f"all/{team}/r.txt": run_lines(7, f"{team}1") for team in "ABC"}
    write(folder, {**files, "all/D/r.txt": run_lines(8, "D1"), "all/A/again.txt": run_lines(7, "A2")})
    (remark,) = (one for one in rank("all").remarks if "B B1" in one)
    assert "4 runs" in remark and "A A2" in remark and "D1" not in remark
    other = run_lines(7, "E1").replace(run_lines(7, "E1").split()[1], "999998", 1)
    write(folder, {"some/A/r.txt": run_lines(7, "A1"), "some/E/r.txt": other})
    assert not any("same answers" in one for one in rank("some").remarks)


#: an edition and the files of a folder → the teams and tags that are ranked, and the files that are not
TOGETHER = {
    "a long list under another name": (
        2025, {"short.txt": articles("A", 4), "long.txt": articles("A", 6, 100)}, [" A"], ["all/long.txt"]
    ),
    "a long list alone": (
        2025, {"task3-L.A": articles("A", 6, 100), "task3.B": articles("B")}, [" B"], ["all/task3-L.A"]
    ),
    "parts across folders and names": (
        2026, {"T/articles/x.txt": articles("A"), "T/answers/y.txt": answers("A", 5)}, ["T A"], []
    ),
    "answers without a tag beside the only articles": (
        2026, {"T/task3.A": articles("A"), "T/mine.txt": answers("", 5)}, ["T A"], []
    ),
    "one part without the other": (
        2026,
        {"task3.A": articles("A"), "answers.B": answers("B"), "task3.C": articles("C"), "answers.C": answers("C")},
        [" C"], ["all/answers.B", "all/task3.A"],
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
    "answers of another task, in an older edition": (
        2025, {"task3.A": articles("A"), "task4.A": answers("A")}, [" A"], []
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
def test_what_belongs_together_is_one_submission_and_nothing_is_guessed(name, folder):
    edition, files, ranked, refused = TOGETHER[name]
    write(folder, {"gold.xml": STATUTE, **{f"all/{path}": text for path, text in files.items()}})
    board = rank("all", gold="gold.xml", task="3", edition=edition)
    assert [f"{entry.team} {entry.tag}" for entry in board.entries] == ranked
    assert sorted(file for one in board.invalid for file in one.files) == refused
    if name == "one part without the other":  # of articles alone, rules are named by which they rank
        assert {one.files[0]: "--edition 2025" in one.reason for one in board.invalid} == {
            "all/answers.B": False, "all/task3.A": True
        }  # fmt: skip
    if name.startswith("answers of another"):
        assert mentions(heard(board.remarks), "skipped 1 [passed-over]: all/task4.A")
        board = rank("all/task3.A", "all/task4.A", gold="gold.xml", task="3", edition=2025)  # named themselves
        assert [heard(one.reason).rpartition(" ")[2] for one in board.invalid] == ["[wrong-part]"]


def test_the_task_is_found_from_articles_though_answers_come_first(folder):
    write(folder, {"gold.xml": STATUTE, "all/a_answers.A": answers("A"), "all/task3.A": articles("A")})
    assert one_step.leaderboard("gold.xml", "all", n_resamples=99).task == "3"
    write(folder, {"four/A": answers("A")})
    assert one_step.leaderboard("gold.xml", "four", n_resamples=99).task == "4"


# what is not ranked


def test_what_cannot_be_scored_is_listed_and_does_not_stop_the_rest(folder, capsys):
    write(
        folder,
        {"all/good.txt": run_lines(9, "good"), "all/T/empty.txt": "", "all/T/other.txt": "999999 000013 other\n"},
    )
    write(folder, {"all/T/broken.json": '{"000001": ', "all/.hidden": "x", "all/__MACOSX/junk": "x"})
    assert main(["leaderboard", "gold.json", "all", "absent.txt", "--task", "1", "--resamples", "99"]) == 2
    out, err = capsys.readouterr()
    assert [line.split()[2] for line in out.splitlines()[1:2]] == ["good"]
    said = sorted(line for line in err.splitlines() if line.startswith("coliee-ir: not ranked: "))
    assert [line.partition("not ranked: ")[2].partition(":")[0] for line in said] == [
        "absent.txt", "all/T/broken.json, line 1, column 12", "all/T/empty.txt", "all/T/other.txt"
    ]  # fmt: skip
    board = rank("all")
    assert {(one.team, one.tag) for one in board.invalid} == {("T", ""), ("T", "other")}


def test_the_gold_and_the_lists_in_a_searched_folder_are_no_submissions(folder, capsys):
    write(folder, {"a.txt": run_lines(9, "a"), "teams.csv": "tag,team\na,T\n", "c.csv": "query,category\n000001,x\n"})
    given = ["--teams", "teams.csv", "--categories", "c.csv", "--task", "1", "--resamples", "99"]
    assert main(["leaderboard", "gold.json", ".", *given]) == 0
    assert mentions(heard(capsys.readouterr().err), "[passed-over] gold.json …")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_file_named_twice_is_one_run_a_pipe_is_not_waited_for_and_a_dead_link_is_told(folder):
    write(folder, {"all/a.txt": run_lines(9, "a")})
    os.mkfifo(folder / "all" / "pipe")
    (folder / "all" / "link").symlink_to("nowhere")
    board = rank("all", "all/a.txt", str(folder / "all" / "a.txt"))
    assert len(board.entries) == 1
    assert matches(heard([one.reason for one in board.invalid]), ["all/link: [no-file]"])


def test_nothing_to_rank(folder, capsys):
    (folder / "all").mkdir()
    with refusing(UsageError, "[empty] all …"):
        rank("all")
    with refusing(UsageError, "[no-run]"):
        rank()
    for options in ({"n_resamples": 0}, {"seed": -1}, {"confidence_level": 1.0}):
        with refusing(UsageError, "[bad-value]"):
            rank({"q1": ["a"]}, **options)
    assert main(["leaderboard", "-", "-"]) == 2
    assert "[named-twice]" in heard(capsys.readouterr().err)
    write(folder, {"all/x.txt": ""})
    assert main(["leaderboard", "gold.json", "all", "--task", "1"]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert matches(err, "… all/x.txt: …\n")


# from memory, and as JSON


def test_runs_from_memory():
    runs = [Run.of({query: GOLD[query] for query in QUERIES[:n]}, tag="same") for n in (5, 9)]
    wrong = {query: ["x"] for query in QUERIES} | {QUERIES[0]: GOLD[QUERIES[0]]}
    board = one_step.leaderboard(GOLD, *runs, wrong, task="1", n_resamples=99)
    assert standing(board) == [(1, "", "same"), (2, "", "same"), (3, "", "run")]
    assert board.names() == ["same (2)", "same", "run"]  # numbered in the order given
    by_recall = leaderboard(evaluate_all(GOLD, runs, task="1"), measure="MicroR", n_resamples=9)
    assert [*by_recall.entries[0].scores.measures] == ["MicroR", "MicroF1", "MicroP"]


def test_parts_from_memory():
    gold = Gold({"R07-01-A": {"1": 1}, "R07-02-A": {"2": 1}}, {"R07-01-A": True, "R07-02-A": True})
    articles, labels = Run.of({"R07-01-A": ["1"]}, tag="A"), Answers({"R07-01-A": True}, tag="A")
    board = one_step.leaderboard(gold, Submission(articles, labels), articles, task="3", edition=2026, n_resamples=99)
    assert [(entry.tag, entry.scores.measures["Accuracy"]) for entry in board.entries] == [("A", 0.5)]
    assert matches(heard([one.reason for one in board.invalid]), ["[incomplete] <memory> … Accuracy …"])


def test_the_json_holds_everything_and_repeats_to_the_byte(folder, capsys):
    write(folder, {f"all/T{n}/{n}.txt": run_lines(n, f"r{n}") for n in (3, 9)} | {"all/bad.txt": ""})
    typed = ["leaderboard", "gold.json", "all", "--task", "1", "-f", "json"]
    assert main(typed) == 2
    first = capsys.readouterr().out
    assert main([*typed, "--jobs", "2"]) == 2
    assert capsys.readouterr().out == first
    told = json.loads(first)
    assert [(run["place"], run["team"], run["tag"], run["measures"]["MicroF1"]) for run in told["runs"]] == [
        (1, "T9", "r9", 0.45), (2, "T3", "r3", 0.15)
    ]  # fmt: skip
    assert matches(heard(told["invalid"]), [
        {"files": ["all/bad.txt"], "tag": "", "team": "",
         "reason": "all/bad.txt: …", "kind": "empty"}
    ])  # fmt: skip
    assert (told["measure"], told["tie_break"], told["judged"], told["resamples"]) == ("MicroF1", [], 20, 0)
    assert set(told["tables"]) == {
        "ranking", "results", "data", "relevant", "questions", "invalid"
    }  # fmt: skip
    assert told["tables"]["invalid"][0]["files"] == "bad.txt"  # the folder of all is not said
    assert told["tables"]["results"][0] == {
        "Place": "1", "Team": "T9", "File": "9.txt", "Run": "r9", "F1": 0.45, "Precision": 0.45, "Recall": 0.45,
        "Rank 95%": "1", "Interval 95%": "[.238, .682]",
    }  # fmt: skip


# as text


def test_file_names_that_are_no_text(folder, capsys):
    try:
        Path(os.fsdecode(b"run\xff.json")).write_text(json.dumps({**GOLD, next(iter(GOLD)): ["no"]}) + "\n")
    except (OSError, UnicodeError):
        pytest.skip("this file system takes only names that are text")
    given = ["leaderboard", "gold.json", ".", "--task", "1", "--resamples", "99"]
    for form in ("table", "csv", "latex", "json"):
        assert main([*given, "-f", form]) == 0
        assert "\udcff" not in capsys.readouterr().out


def test_csv_holds_one_table(folder, capsys):
    write(folder, {"a.txt": run_lines(9, "a")})
    given = ["leaderboard", "gold.json", "a.txt", "--task", "1", "--resamples", "99"]
    assert main([*given, "-f", "csv", "--table", "results", "--table", "relevant"]) == 2
    assert mentions(heard(capsys.readouterr().err), "[option-needed] csv …")
    assert main([*given, "-f", "csv", "--table", "results"]) == 0
    assert capsys.readouterr().out == (
        'Place,File,Run,F1,Precision,Recall,Rank 95%,Interval 95%\n1,a.txt,a,0.45,0.45,0.45,1,"[.238, .682]"\n'
    )
    assert main([*given, "-f", "html"]) == 0
    page = Parsed(capsys.readouterr().out)
    assert page.open == [] and {"#results", "#questions"} <= {*page.values("href")}


def test_the_best_is_named_only_where_it_is_found_to_be_better_than_each_other(folder):
    def of(*right):
        runs = {}
        for n, kept in enumerate(right):
            lines = (f"{q} {GOLD[q][0] if at in kept else '999999'} r{n}\n" for at, q in enumerate(QUERIES))
            runs[f"of{len(right)}/{n}.txt"] = "".join(lines)
        write(folder, runs)
        board = rank(f"of{len(right)}", n_resamples=999)
        told = board.to_dict()
        compared = compare([entry.scores for entry in board.entries], n_resamples=999) if len(right) > 1 else None
        if compared is not None:  # the same ranks in one shape, and the same statement
            assert [run["ranks"] for run in told["runs"]] == [run["ranks"] for run in compared.to_dict()["runs"]]
            first = [pair.verdict for pair in compared.pairs if pair.a == 0]
            assert (board.best == "the best is r0") == (first == ["better"] * (len(right) - 1))
        assert (board.best == "") == (not board.notes())
        return board.best, [(run["ranks"], run["may_be_best"]) for run in told["runs"]]

    assert of(range(18)) == ("", [([1, 1], True)])  # there is nothing to be better than
    assert of(range(18), range(5)) == ("the best is r0", [([1, 1], True), ([2, 2], False)])
    may_be = "the best may be any of: r0, r1"
    assert of(range(18), range(13), range(4)) == (may_be, [([1, 2], True), ([1, 2], True), ([3, 3], False)])


@pytest.mark.parametrize("n", [2, 3, 4])
def test_what_so_few_queries_cannot_show_is_remarked(n, folder):
    runs = [{query: GOLD[query] for query in QUERIES[: 5 - at]} for at in range(n - 1)]
    board = rank(*runs, {query: [*GOLD[query], "x"] for query in QUERIES[:5]}, only=QUERIES[:5])
    assert "too-few-queries" in [remark.kind for remark in board.remarks]
    assert board.best.startswith("the best may be any of")


def test_groups_of_queries_count_as_one(folder, capsys):
    write(folder, {"a.txt": run_lines(18, "a"), "b.txt": run_lines(5, "b"),
                   "groups.txt": "".join(f"{query} g{at // 10}\n" for at, query in enumerate(QUERIES))})  # fmt: skip
    assert main(["leaderboard", "gold.json", "a.txt", "b.txt", "--task", "1", "--groups", "groups.txt"]) == 0
    shown = capsys.readouterr().out
    assert "20 queries in 2 groups" in shown
    assert "The best may be any of: a, b.\n" in shown
    # and ids of TREC are as they are
    queries = [f"T{at}.txt" for at in range(8)]
    run = "".join(f"{query} Q0 D1 1 {at}.5 a\n" for at, query in enumerate(queries))
    write(folder, {"q.qrels": "".join(f"{query} 0 D1 1\n" for query in queries), "a.run": run, "b.run": run,
                   "g.txt": "".join(f"{query} g{at // 2}\n" for at, query in enumerate(queries))})  # fmt: skip
    for task in ([], ["--task", "trec"]):
        assert main(["leaderboard", "q.qrels", "a.run", "b.run", "--groups", "g.txt", *task]) == 0
        assert "8 queries in 4 groups" in capsys.readouterr().out


def test_the_best_run_of_a_team_is_compared_as_one_of_all_that_it_sent(folder):
    write(folder, {f"all/{team}/{team}{n}.txt": run_lines(n, f"{team}{n}") for team, n in [("A", 12), ("B", 3)]})
    alone = rank("all", best=True, n_resamples=999)
    write(folder, {f"all/A/x{n}.txt": run_lines(n, f"x{n}") for n in range(4, 11)})
    among = rank("all", best=True, n_resamples=999)
    assert [entry.tag for entry in among.entries] == [entry.tag for entry in alone.entries] == ["A12", "B3"]
    assert [str(entry.ranks) for entry in alone.entries] == ["1", "2"]
    whole = rank("all", n_resamples=999)
    wider = [entry for entry in whole.entries if entry.tag == "A12"]
    assert wider[0].ranks.worst > 1  # among its own runs it is not alone
    assert [entry.ranks.best for entry in among.entries] == [1, 2]
