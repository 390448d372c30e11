"""Runs over several tasks: means in which each counts the same, ranks for these and for others, who is left out."""

import json

import numpy as np
import pytest
from asserting import done, failing, mentions, refusing
from example_runs import EXAMPLES
from sent import write

from coliee_adapters.errors import UsageError
from coliee_ir import Scored, compare, evaluate_all, leaderboard, plan, report

SIZES = (12, 30, 20, 8, 16, 10, 14)


def drawn(sizes=SIZES, runs=4):
    """Columns of scores, and query → task; the first run is the best."""
    random = np.random.default_rng(5)
    tasks = {f"t{at}-{query}": f"t{at}" for at, n in enumerate(sizes) for query in range(n)}
    ease = random.normal(0, 0.15, len(tasks))
    columns = {"query": [*tasks]}
    for run in range(runs):
        columns[f"run{run}"] = np.clip(0.6 - 0.06 * run + ease + random.normal(0, 0.1, len(tasks)), 0, 1).tolist()
    return columns, tasks


def read(columns, **options):
    return Scored.from_frame(columns, columns={"tag": "*"}, **options)


def rows_of(columns, tasks, *without):
    """Run, query, task and value of each score, but for those of these pairs of run and task."""
    return [(run, query, tasks[query], columns[run][at]) for run in columns if run != "query"
            for at, query in enumerate(columns["query"]) if (run, tasks[query]) not in without]  # fmt: skip


def frame_of(rows, *names):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def csv_of(header, rows):
    return "".join(",".join(map(str, row)) + "\n" for row in (header.split(","), *rows))


def found_of(board):
    return [(entry.tag, entry.ranks, entry.interval) for entry in board.entries]


def test_each_task_counts_the_same_and_has_a_column():
    columns, tasks = drawn()
    board = leaderboard(read(columns), tasks=tasks)
    of = np.array([*tasks.values()])
    for entry in board.entries:
        means = {name: np.mean(np.array(columns[entry.tag])[of == name]) for name in sorted({*of})}
        first, *others = entry.scores.measures.values()
        assert first == pytest.approx(np.mean([*means.values()]))
        assert others == pytest.approx([*means.values()]) and entry.interval.low < first < entry.interval.high
    assert board.table().header[-7:] == [f"t{at}" for at in range(7)]


def test_a_run_with_one_score_everywhere_has_no_width():
    sizes = (100, 10, 2)
    columns, tasks = drawn(sizes, 2)
    columns["run2"], columns["run3"] = [0.5] * sum(sizes), [0.45] * sum(sizes)
    entries = {entry.tag: entry for entry in leaderboard(read(columns), tasks=tasks).entries}
    assert np.isnan([entries["run2"].interval, entries["run3"].interval]).all()
    low, high = entries["run0"].interval
    of = np.split(np.array(columns["run0"]), [100, 110])
    error = np.sqrt(sum(task.var(ddof=1) / len(task) for task in of)) / 3
    assert 3.9 * error < high - low < 5.7 * error


def test_by_how_much_tasks_differ_is_no_chance():
    columns, tasks = drawn((20, 20, 20, 20), 3)
    of = np.array([int(task[1:]) for task in tasks.values()])
    unlike = {name: values if name == "query" else (np.array(values) + (of - 1.5) * 5 * at).tolist()
              for at, (name, values) in enumerate(columns.items())}  # fmt: skip
    boards = [leaderboard(read(one), tasks=tasks) for one in (columns, unlike)]
    for entry, other in zip(*(board.entries for board in boards), strict=True):
        assert (entry.tag, entry.ranks) == (other.tag, other.ranks)
        assert np.ptp(entry.interval) == pytest.approx(np.ptp(other.interval), rel=0.05)  # of shares it is skew


def test_a_tasks_score_is_the_measures_own():
    random, tasks = np.random.default_rng(1), {f"{task}{at}": task for task in "ab" for at in range(9)}
    gold = {query: [f"d{at}" for at in range(int(random.integers(1, 9)))] for query in tasks}
    runs = {f"r{n}": {query: [f"d{at}" for at in range(n)] for query in tasks} for n in (6, 2)}
    by_year = {task: evaluate_all({q: gold[q] for q in tasks if tasks[q] == task}, runs, task="1") for task in "ab"}
    for board in (leaderboard(evaluate_all(gold, runs, task="1"), tasks=tasks), leaderboard(by_year)):
        for entry in board.entries:
            alone = [scored[entry.tag].measures["MicroF1"] for scored in by_year.values()]
            assert [*entry.scores.measures.values()] == pytest.approx([np.mean(alone), *alone])


def test_wins_are_the_share_of_other_runs_beaten_on_each_query():
    columns, tasks = drawn()
    columns["run1"][3] = columns["run2"][3]
    board = leaderboard(read(columns), tasks=tasks, scale="wins")
    each, of = np.array([columns[f"run{run}"] for run in range(4)]), np.array([*tasks.values()])
    for entry in board.entries:
        own = each[int(entry.tag[-1])]
        beaten = ((own > each).sum(axis=0) + ((own == each).sum(axis=0) - 1) / 2) / 3
        expected = [beaten[of == name].mean() for name in sorted({*of})]
        assert [*entry.scores.measures.values()] == pytest.approx([np.mean(expected), *expected])


@pytest.mark.parametrize("scale", ["score", "wins"])
def test_where_less_is_better_the_best_is_still_the_first(scale):
    columns, tasks = drawn()
    costs = [(run, query, 1 - value) for run, query, _, value in rows_of(columns, tasks)]
    frame = frame_of(costs, "run", "query", "cost")
    less = leaderboard(Scored.from_frame(frame, lower_is_better=["cost"]), tasks=tasks, scale=scale)
    more = leaderboard(read(columns), tasks=tasks, scale=scale)
    assert [(one.tag, one.ranks) for one in less.entries] == [(one.tag, one.ranks) for one in more.entries]
    assert less.tasks.other_tasks == more.tasks.other_tasks


def test_of_other_tasks_ranks_are_told_from_six_tasks_on():
    for n in (5, 6, 7):
        columns, tasks = drawn(SIZES[:n])
        board = leaderboard(read(columns), tasks=tasks)
        assert bool(board.tasks.other_tasks) == (n >= 6) == ("other tasks" in board.table().header)
        assert any(f"{2.0 ** (1 - n):g}" in note for note in board.notes()) == (n < 6)
    assert board.tasks.other_tasks["run0"] == (1, 1)  # it is the best in all seven
    assert f"{board.tasks.other_tasks['run3']}" == "4"


def test_who_lacks_a_task_is_left_out_and_named():
    columns, tasks = drawn()
    rows = [(run, query, value) for run, query, _, value in rows_of(columns, tasks, ("run3", "t1"), ("run3", "t4"))]
    frame = frame_of(rows, "run", "query", "AP")
    board = leaderboard(Scored.from_frame(frame, unanswered="zero"), tasks=tasks)
    by_tasks = Scored.from_frame(frame, unanswered="tasks")
    assert found_of(leaderboard(by_tasks, tasks=tasks)) == found_of(board)
    for function in (leaderboard, compare, plan, report):  # which would take what is missing for 0
        with refusing(UsageError, "[not-comparable] …"):
            function(by_tasks)
    with refusing(UsageError, "[missing-key] run0…11 of 12…t0…"):
        leaderboard(Scored.from_frame(frame_of(rows[1:], *frame), unanswered="tasks"), tasks=tasks)
    assert [entry.tag for entry in board.entries] == ["run0", "run1", "run2"]
    means = np.mean([[*entry.scores.measures.values()][1:] for entry in board.entries], axis=0)
    moved = means[[0, 2, 3, 5, 6]].mean() - means.mean()
    [remark] = [one for one in board.remarks if one.kind == "left-out"]
    assert "run3" in remark and "t1, t4" in remark and f"{moved:+.4f}" in remark


def test_tasks_of_which_no_query_counts_are_named():
    columns, tasks = drawn()
    frame = frame_of(rows_of(columns, tasks, ("run1", "t2"), ("run2", "t5")), "run", "query", "task", "AP")
    for given in (tasks, "task"):
        board = leaderboard(Scored.from_frame(frame, unanswered="common"), tasks=given)
        [remark] = [one for one in board.remarks if one.kind == "left-out"]
        assert "t2, t5" in remark and len(board.tasks.names) == 5


def test_what_makes_no_sense_is_refused():
    columns, tasks = drawn()
    scored = read(columns)
    for options, kind in (
        ({"tasks": dict.fromkeys(tasks, "one")}, "too-few"), ({"tasks": tasks, "scale": "rank"}, "unknown-name"),
        ({"tasks": {"t0-0": "t0"}}, "missing-key"), ({"scale": "wins"}, "option-needed"),
        ({"tasks": {**tasks, "t0-0": "alone"}}, "too-few"),
        ({"tasks": {q: "Average" if task == "t0" else task for q, task in tasks.items()}}, "ambiguous"),
        ({"tasks": tasks, "replicates": {"a": ["run0", "run1", "run2", "run3"]}}, "option-conflict"),
    ):  # fmt: skip
        with refusing(UsageError, f"[{kind}] …"):
            leaderboard(scored, **options)
    with refusing(UsageError, "[too-few] …"):
        leaderboard(read({name: columns[name] for name in ("query", "run0")}), tasks=tasks)


def test_unlike_scales_few_scores_and_twins_are_remarked():
    columns, tasks = drawn()
    for factor, kinds in ((100, ["same-answers", "unlike-scales"]), (1, ["same-answers"])):
        other = {name: values if name == "query" else [
            factor * value if tasks[query] == "t1" else value for query, value in zip(tasks, values, strict=True)
        ] for name, values in columns.items()}  # fmt: skip
        scored = read({**other, "twin": other["run1"]})
        remarks = leaderboard(scored, tasks=tasks).remarks
        assert [remark.kind for remark in remarks] == kinds and "run1, twin" in remarks[0]
        assert [remark.kind for remark in leaderboard(scored, tasks=tasks, scale="wins").remarks] == ["same-answers"]
    columns, tasks = drawn((8, 5, 4, 2))
    [remark] = leaderboard(read(columns), tasks=tasks).remarks
    assert remark.kind == "small-tasks" and "t2 4, t3 2" in remark


def test_queries_that_are_called_alike_are_told_apart_by_column_or_folder(call, here):
    columns, tasks = drawn(SIZES[:3])
    expected = found_of(leaderboard(read(columns), tasks=tasks))
    rows = [(of, query.partition("-")[2], run, value) for run, query, of, value in rows_of(columns, tasks)]
    frame = frame_of(rows, "year", "query", "run", "AP")
    assert found_of(leaderboard(Scored.from_frame(frame, columns={"task": "year"}), tasks="year")) == expected
    folders = {}
    for of, query, run, value in rows:
        folders[f"in/{of}/{run}.txt"] = folders.get(f"in/{of}/{run}.txt", "") + f"{query}\tAP\t{value}\n"
    header = "year,query,run,AP"
    write({"long.csv": csv_of(header, rows), **folders})
    for words in (["long.csv", "--tasks", "year"], ["in", "--tasks", "folder"], [*folders, "--tasks", "folder"]):
        found = json.loads(done(call, "leaderboard", *words, "-f", "json")[0])["runs"]
        assert [(run["tag"], (*run["ranks"],), (*run["interval"],)) for run in found] == expected
    for words, said in ((["in", "--tasks", "file"], "[empty]…--tasks folder…"),
                        ([*folders, "--tasks", "file"], "[too-few]…--tasks folder…"),
                        (["in/t0", "--tasks", "folder"], "[empty]…--tasks file…")):  # fmt: skip
        assert mentions(failing(call, "leaderboard", *words), said)


def test_tasks_come_from_a_file_or_a_column_and_groups_are_named(call, here):
    columns, tasks = drawn()
    write({
        "scores.csv": csv_of("run,query,year,AP", rows_of(columns, tasks)),
        "tasks.txt": "".join(f"{query} {task}\n" for query, task in tasks.items()),
        "groups.txt": "".join(f"{query} {query[:-1]}\n" for query in tasks),
    })  # fmt: skip
    given = (["tasks.txt"], ["year"], ["year", "--groups", "groups.txt"])
    by_file, by_column, in_groups = (done(call, "leaderboard", "scores.csv", "--tasks", *of)[0] for of in given)
    assert by_file == by_column
    assert "similar groups of queries" in in_groups and "similar groups" not in by_file
    wins, _ = done(call, "leaderboard", "scores.csv", "--tasks", "year", "--scale", "wins", "-f", "json")
    found = json.loads(wins)["tasks"]
    assert found["names"] == [f"t{at}" for at in range(7)] and len(found["other_tasks"]) == 4
    for name in ("query", "run", "nosuch"):  # which have another part, or are not there
        for option in ("--tasks", "--groups"):
            assert failing(call, "leaderboard", "scores.csv", option, name).count("year") == 1
    failing(call, "leaderboard", "scores.csv", "--scale", "wins")


def in_files(folder, *, alike=True):
    """A file of scores for each of three tasks; the queries of all are called alike, and run3 has no t2."""
    columns, tasks = drawn(SIZES[:3])
    rows = rows_of(columns, tasks, ("run3", "t2"))
    files = {f"{folder}/t{at}.csv": csv_of("run,query,AP", [
        (run, query.partition("-")[2] if alike else query, value) for run, query, of, value in rows if of == f"t{at}"
    ]) for at in range(3)}  # fmt: skip
    write(files)
    return [*files]


def test_files_of_scores_are_tasks_where_that_is_said(call, here):
    files = in_files("in")
    out, err = done(call, "leaderboard", *files, "--tasks", "file", "-f", "json")
    found = json.loads(out)
    alone = {path[3:5]: Scored.read(path) for path in files}
    assert found["tasks"]["names"] == [*alone] and [*found["inputs"]] == files
    assert {run["tag"] for run in found["runs"]} == {"run0", "run1", "run2"}
    for run in found["runs"]:
        of_tasks = {task: scored[run["tag"]].measures["AP"] for task, scored in alone.items()}
        assert run["measures"] == pytest.approx({"mean AP": sum(of_tasks.values()) / 3, **of_tasks})
    assert mentions(err, "…run3 lacks t2…")
    board = leaderboard(alone)
    assert [entry.scores.measures for entry in board.entries] == [run["measures"] for run in found["runs"]]
    assert done(call, "leaderboard", "in", "--tasks", "file", "-f", "json")[0] == out


def test_files_of_the_same_runs_are_no_tasks_unless_that_is_said(call, here):
    same, files = in_files("alike"), in_files("apart", alike=False)
    gold, run = EXAMPLES / "task4/gold.xml", EXAMPLES / "task4/ALPHA.txt"
    for words, said in (
        (same, "[duplicate]…--tasks file…"), (files[:2], "[option-needed]…--tasks file…"),
        ([files[0], "--tasks", "file"], "[unfit-option]"), ([gold, run, "--tasks", "file"], "[unfit-option]"),
    ):  # fmt: skip
        assert mentions(failing(call, "leaderboard", *words), said)
    assert mentions(done(call, "compare", *files[:2])[1], "[pooled-files]")
    assert not mentions(done(call, "compare", files[0])[1], "[pooled-files]")
    tasks = {path[6:8]: Scored.read(path) for path in same}
    other = Scored.from_frame({"run": ["run0", "run1"], "query": ["1", "1"], "F1": [0.5, 0.1]})
    for given, options, said in (
        (tasks, {"tasks": {}}, "[option-conflict] …"), ({}, {}, "[too-few] …"),
        ({"t0": tasks["t0"]}, {}, "[too-few] …"),
        ({"t0": tasks["t0"], "t1": tasks["t1"].of([])}, {}, "[too-few] …"),
        ({**tasks, "t9": other}, {}, "[not-comparable] …t9 by F1…"),
    ):  # fmt: skip
        with refusing(UsageError, said):
            leaderboard(given, **options)
