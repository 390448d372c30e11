"""What comes in: which files are one run, whose it is, what it is called, and by which gold it is judged."""

import csv
import json
from email.message import EmailMessage
from hashlib import sha256
from pathlib import Path

import one_step
import pytest
from asserting import done, failing, heard, mentions, refusing
from example_runs import EXAMPLES
from sent import cases, write

from coliee_adapters.errors import InputError
from coliee_adapters.remarks import Remark
from coliee_ir import Scored, Submission, compare, evaluate, evaluate_all
from coliee_ir.commands.edition.config import read_edition
from coliee_ir.commands.edition.day import day_of
from coliee_ir.inbox.tasks import Golds, QueryFile
from coliee_ir.inbox.teams import team_key

T1, T3, LAST = EXAMPLES / "task1", EXAMPLES / "task3", EXAMPLES / "task3-2025"


def halves(folder, name="{}.txt"):
    """The example of Task 1 in two files of one tag, which answer different queries."""
    lines = (T1 / "bm25.txt").read_text().splitlines(keepends=True)
    queries = sorted({line.split()[0] for line in lines})
    files = []
    for n, some in enumerate((queries[::2], queries[1::2])):
        files.append(folder / name.format(n))
        files[-1].parent.mkdir(parents=True, exist_ok=True)
        files[-1].write_text("".join(line for line in lines if line.split()[0] in some))
    return files


def test_files_of_one_tag_that_answer_different_queries_are_one_run(tmp_path):
    whole, parts = evaluate(T1 / "gold.json", T1 / "bm25.txt"), halves(tmp_path)
    for given in (parts, [tmp_path], [str(tmp_path)]):
        scored = evaluate_all(T1 / "gold.json", given)
        assert [one.measures for one in scored] == [whole.measures]
        assert mentions(heard(" ".join(map(str, scored.remarks))), "[grouped]") or scored.remarks
    assert evaluate(T1 / "gold.json", [*map(str, parts)]).measures == whole.measures


def test_files_in_folders_of_nobody_knows_whom_are_not_joined(tmp_path):
    halves(tmp_path, "{}/run.txt")
    assert len(evaluate_all(T1 / "gold.json", tmp_path)) == 2
    with refusing(InputError, "[duplicate]"):
        evaluate(T1 / "gold.json", [str(T1 / "bm25.txt")] * 2)


def test_files_that_are_named_find_their_other_part_as_those_of_a_folder_do(call):
    named = call(
        "evaluate",
        T3 / "gold.xml",
        *(T3 / f"{part}.{tag}" for tag in ("ALPHA", "BETA") for part in ("task3", "answers")),
    )
    given = call(
        "evaluate",
        T3 / "gold.xml",
        T3 / "task3.ALPHA",
        T3 / "task3.BETA",
        "--answers",
        T3 / "answers.ALPHA",
        "--answers",
        T3 / "answers.BETA",
    )
    assert named[:2] == given[:2] and named[0] == 0


def test_a_long_list_that_the_year_does_not_score_spoils_no_run(tmp_path):
    for name, file in {"task3.C": "task3.ALPHA", "ans.C": "answers.ALPHA"}.items():
        (tmp_path / name).write_text((T3 / file).read_text().replace("ALPHA", "C"))
    (tmp_path / "task3-L.C").write_text((T3 / "task3.ALPHA").read_text().replace("ALPHA", "C"))
    board = one_step.leaderboard(T3 / "gold.xml", tmp_path, n_resamples=99)
    assert len(board.entries) == 1 and not board.invalid
    (scores,) = evaluate_all(T3 / "gold.xml", sorted(tmp_path.iterdir()))
    assert scores.measures == board.entries[0].scores.measures


@pytest.mark.parametrize("other", ["kis", "Kis (corrected)", "Re: [Submission] KIS", "ＫＩＳ", "KIS [v2]"])
def test_a_team_is_one_however_it_is_spelt(other):
    assert team_key(other) == team_key("KIS") != team_key("KIS2")


def mailed(folder, n, subject, tag, day=1, sender="a@example.org"):
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["Date"] = subject, sender, f"{day:02} Jan 2027 10:00:00 +0000"
    content = "".join(f"{query:06} {query + 100 + n:06} {tag}\n" for query in range(1, 4))
    mail.add_attachment(content.encode(), maintype="text", subtype="plain", filename="run.txt")
    folder.mkdir(exist_ok=True)
    (folder / f"{n}.eml").write_bytes(bytes(mail))


def test_a_file_is_judged_by_a_gold_of_its_task_and_by_no_other():
    cases, fragments, year = frozenset({"000001"}), frozenset({"826", "827"}), frozenset({"R01-1-A"})
    golds = Golds([
        QueryFile("1.json", cases, ("1",), True), QueryFile("2.json", fragments, ("2",), True),
        QueryFile("R08.xml", frozenset({"R08-1-A"}), ("3", "4"), True), QueryFile("R01.xml", year, ("4",), True, "R01"),
    ])  # fmt: skip
    judging = {
        (task, query): [gold.file for gold in golds.judges_of((task,), {query})]
        for task, query in (("1", "826"), ("4", "R01-1-A"), ("3", "R01-1-A"))
    }
    assert [*judging.values()] == [["1.json"], ["R01.xml"], ["R08.xml"]]
    of_years = golds.judges_of(("4",), {"R01-1-A", "R08-1-A", "826"})  # and not of another task
    assert [gold.file for gold in of_years] == ["R08.xml", "R01.xml"]
    assert (elsewhere := golds.of_other_task("1", fragments)) is not None and elsewhere.tasks == ("2",)


def test_a_task_may_have_several_golds_and_each_file_is_judged_by_its_own(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold, run = (EXAMPLES / "task4" / name for name in ("gold.xml", "ALPHA.txt"))
    told = ['name = "T"', 'mailbox = "in"', "resamples = 99"]
    for year in ("R07", "R01"):
        Path(f"{year}.xml").write_text(gold.read_text().replace("R07", year))
        Path("in/DU").mkdir(parents=True, exist_ok=True)
        Path(f"in/DU/{year}.DU1").write_text(run.read_text().replace("R07", year).replace("ALPHA", "DU1"))
        told += ["[[task]]", 'task = "4"', f'gold = "{year}.xml"', *(['reference = "R01"'] if year == "R01" else [])]
    Path("coliee.toml").write_text("\n".join(told))
    day = day_of(read_edition("coliee.toml"))
    assert [(board.called, len(board.entries), len(board.invalid)) for board in day.boards] == [
        ("4", 1, 0),
        ("4 R01", 1, 0),
    ]
    assert not [one for one in day.inbox.findings if one.severity == "error"]
    kinds = {one.kind: one.key for one in day.decide}
    assert "many-runs" not in kinds and "undescribed DU" in kinds["undescribed"]
    Path("coliee.toml").write_text("\n".join([told[0], 'settled = ["undescribed DU"]', *told[1:]]))
    assert not [one for one in day_of(read_edition("coliee.toml")).decide if one.kind == "undescribed"]


def test_two_runs_of_one_tag_have_the_same_two_names_in_every_command(call, tmp_path):
    """Numbered in the order in which they are given, whatever their paths and their places."""
    lines = (T1 / "dense.txt").read_text().splitlines()
    for folder, some in (("b", lines), ("a", lines[::-1][:-40])):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.txt").write_text("\n".join(some))
    gold, *runs = T1 / "gold.json", tmp_path / "b/run.txt", tmp_path / "a/run.txt"
    both = {"dense", "dense (2)"}
    found = json.loads(call("evaluate", gold, *runs, "-f", "json")[1])["runs"]
    assert [(one["tag"], one["name"], one["file"]) for one in found] == [
        ("dense", "dense", str(runs[0])), ("dense", "dense (2)", str(runs[1])),
    ]  # fmt: skip
    rows = {
        "evaluate": call("evaluate", gold, *runs, "-f", "csv")[1],
        "overlap": call("evaluate", gold, *runs, "--show", "overlap", "-f", "csv")[1],
        "tune": call("tune", gold, *runs, "--by", "k", "-f", "csv")[1],
        "compare": "\n".join(",".join(pair["names"]) for pair in json.loads(
            call("compare", gold, *runs, "-f", "json")[1])["pairs"]).replace(",", ",\n"),
    }  # fmt: skip
    for command, table in rows.items():
        assert {row.split(",")[0] for row in table.splitlines()} & both == both, command
    assert mentions(call("fuse", *runs, "--fit", gold, "-o", tmp_path / "no.txt")[2], "[ambiguous]")
    runs = [path.rename(path.with_name(f"{path.parent.name}.txt")) for path in runs]
    fitted = call("fuse", *runs, "--fit", gold, "-o", tmp_path / "fused.txt", "--save", tmp_path / "w.json")[1]
    assert all(any(line.startswith(f"{name}  ") for line in fitted.splitlines()) for name in both)
    fusion = json.loads((tmp_path / "w.json").read_text())["fusion"]
    assert (fusion["runs"], fusion["files"]) == (["dense"] * 2, ["b.txt", "a.txt"])
    plain = call("fuse", *runs, "--weights", tmp_path / "w.json", "-o", tmp_path / "again.txt")[2]
    assert "[fitted-to-others]" not in plain
    (tmp_path / "scores.csv").write_text(call("evaluate", gold, *runs, "-q", "-f", "csv")[1])
    assert {one.name for one in Scored.read(tmp_path / "scores.csv")} == both


def test_runs_that_were_scored_apart_share_no_name_either():
    runs = [evaluate(T1 / "gold.json", T1 / name) for name in ("bm25.txt", "bm25.txt", "dense.txt")]
    assert compare(runs, n_resamples=9).names == ["bm25", "bm25 (2)", "dense"]


def test_a_run_that_is_replaced_is_numbered_behind_the_one_that_counts(tmp_path):
    mailed(tmp_path / "in", 1, "[submission] JNLP", "JNLP1")
    mailed(tmp_path / "in", 2, "[submission] JNLP", "JNLP1", day=2)
    (tmp_path / "teams.csv").write_text("file,team,status\n1.eml/run.txt,JNLP,replaced by JNLP1\n")
    gold = {f"{query:06}": [f"{query + 101:06}"] for query in range(1, 4)}
    scored = evaluate_all(gold, tmp_path / "in", teams=tmp_path / "teams.csv", task="1")
    assert {(one.name, Path(one.file).parent.name) for one in scored} == {("JNLP1", "2.eml"), ("JNLP1 (2)", "1.eml")}


def test_a_run_in_several_files_is_found_by_each_and_by_its_name(call, tmp_path):
    gold, (one, other), log = T1 / "gold.json", halves(tmp_path), tmp_path / "log.csv"
    code, out, _ = call("evaluate", gold, one, other, "-f", "json", "--log", log)
    (run,) = json.loads(out)["runs"]
    assert (
        code == 0
        and run["files"] == [str(one), str(other)]
        and {str(one), str(other)} <= json.loads(out)["inputs"].keys()
    )
    with log.open() as lines:
        (row,) = csv.DictReader(lines)
    assert row["sha256"].split(",") == [sha256(file.read_bytes()).hexdigest() for file in (one, other)]
    for baseline in (other, "dense (2)"):
        runs = (one, other, T1 / "dense.txt", T1 / "dense.txt")
        assert call("compare", gold, *runs, "--baseline", baseline, "--resamples", "9")[0] == 0
    (tmp_path / "teams.csv").write_text(f"file,team,system\n{one},ALPHA,ours\n{other},ALPHA,ours\n")
    board = one_step.leaderboard(gold, tmp_path, task="1", teams=tmp_path / "teams.csv", n_resamples=99)
    assert [(entry.team, entry.more, len(entry.files)) for entry in board.entries] == [("ALPHA", ("ours",), 2)]
    assert not [remark for remark in board.remarks if getattr(remark, "kind", "") == "team-list"]


def test_a_fusion_has_a_file_once_and_copies_with_tags_of_their_own_each(call, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("000001 000002 T\n")
        (tmp_path / f"{name}.json").write_text('{"000001": ["000003"]}')
    remarks = call("fuse", tmp_path, "--task", "1")[2]
    assert remarks.count("[passed-over]") == remarks.count("[identical]") == 1
    assert mentions(remarks, "b.txt (= ") and mentions(remarks, "a.json [identical]")


def test_fuse_and_tune_take_files_of_one_run_as_one(call, tmp_path):
    one, other = halves(tmp_path)
    dense, gold = T1 / "dense.txt", T1 / "gold.json"
    whole = call("fuse", T1 / "bm25.txt", dense, "--weights", "2,1", "--task", "1")[1]
    _, apart, err = call("fuse", one, dense, other, "--weights", "2,1", "--task", "1")
    assert sorted(apart.splitlines()) == sorted(whole.splitlines()) and "[grouped]" in err
    twice = call("fuse", T1 / "bm25.txt", dense, T1 / "bm25.txt", "--weights", "2,0,1", "--task", "1")[1]
    assert twice == call("fuse", T1 / "bm25.txt", T1 / "bm25.txt", dense, "--weights", "2,1,0", "--task", "1")[1]
    assert call("tune", gold, one, other, "--by", "k")[1] == call("tune", gold, T1 / "bm25.txt", "--by", "k")[1]
    fitted = [call("fuse", *runs, dense, "--fit", gold, "-o", tmp_path / "f.txt")[1] for runs in
              ((one, other), (T1 / "bm25.txt",))]  # fmt: skip
    assert fitted[0] == fitted[1]


def test_tables_whose_tag_is_in_a_column_are_one_run_too(tmp_path):
    tables = []
    for n, part in enumerate(halves(tmp_path / "text")):
        rows = [",".join(line.split()) for line in part.read_text().splitlines()]
        tables.append(tmp_path / f"{n}.csv")
        tables[-1].write_text("\n".join(["query_id,doc_id,tag", *rows, ""]))
    (scores,) = evaluate_all(T1 / "gold.json", tables)
    assert (scores.tag, scores.measures) == ("bm25", evaluate(T1 / "gold.json", T1 / "bm25.txt").measures)


def test_a_submission_of_paths_knows_its_files_and_a_grouped_one_its_gold(here):
    write({"in/A/run.txt": cases("A1"), "gold.json": json.dumps({f"{n:06}": [f"{n + 100:06}"] for n in range(1, 11)})})
    sent = Submission("in/A/run.txt", answers=Path("a.txt"), long_list=["b.txt", "c.txt"])
    reason = Remark("bad", "broken")
    assert sent.invalid(reason).files == ("in/A/run.txt", "a.txt", "b.txt", "c.txt")
    assert Submission({"q": ["d"]}).invalid(reason).files == ()
    (found,) = evaluate_all("gold.json", "in", teams={}).submissions
    assert (found.team, found.tag, found.gold, found.findings) == ("A", "A1", "gold.json", ())


def of_years(folder, ending="json", write=json.dumps, name="{year}.bm25"):
    """The gold of two years, and a run of each in a file that has no run tag."""
    folder.mkdir(exist_ok=True)
    answers = {f"{year}-0{n}-A": label for year in ("H30", "R01") for n, label in ((1, "Y"), (2, "N"))}
    gold = folder / "gold.txt"
    gold.write_text("".join(f"{query} {label}\n" for query, label in answers.items()))
    files = [folder / f"{name.format(year=year)}.{ending}" for year in ("H30", "R01")]
    for year, path in zip(("H30", "R01"), files, strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(write({query: label for query, label in answers.items() if query.startswith(year)}))
    return gold, *files


def as_csv(answers):
    return "id,prediction\n" + "".join(f"{query},{label}\n" for query, label in answers.items())


def as_lines(answers):
    return "".join(f'{{"id": "{query}", "answer": "{label}"}}\n' for query, label in answers.items())


@pytest.mark.parametrize(("ending", "write"), [("json", json.dumps), ("csv", as_csv), ("jsonl", as_lines)])
@pytest.mark.parametrize(
    ("name", "tag"),
    [("{year}.bm25", "bm25"), ("task4_{year}_bm25", "task4-bm25"), ("bm25-{year}", "bm25"), ("bm25/{year}", "bm25")],
)
def test_files_without_a_tag_that_are_named_by_their_years_are_one_run(call, tmp_path, ending, write, name, tag):
    gold, *files = of_years(tmp_path, ending, write, name)
    for command in ("evaluate", "leaderboard"):
        code, out, err = call(command, gold, *files, "--task", "4", "-f", "csv")
        assert code == 0 and f"{tag}," in out and "[grouped]" in err, command
        assert "1.0" in out
    target = tmp_path / "whole.jsonl"
    done(call, "convert", *files, target, *([] if ending == "csv" else ["--tag", tag]))
    assert target.read_text().count(f'"tag": "{tag}"') == 4


@pytest.mark.parametrize("name", ["run{year}", "{year}x.bm25", "AMH{year}"])
def test_a_name_that_only_holds_the_letters_of_a_year_is_another_run(call, tmp_path, name):
    gold, *files = of_years(tmp_path, name=name)
    assert done(call, "evaluate", gold, *files, "--task", "4", "-f", "csv")[0].count(",0.5\n") == 2


def test_a_year_in_the_name_that_is_not_that_of_the_questions_joins_nothing(call, tmp_path):
    gold, first, second = of_years(tmp_path)
    both = [first.rename(tmp_path / "R01.x.json"), second.rename(tmp_path / "H30.x.json")]
    assert done(call, "evaluate", gold, *both, "--task", "4", "-f", "csv")[0].count(",0.5\n") == 2


def test_a_tag_within_json_lines_joins_the_files_of_a_run(call, tmp_path):
    gold, *files = of_years(tmp_path, "jsonl", lambda one: as_lines(one).replace("}", ', "tag": "T"}'), "{year}_any")
    files = [files[0].rename(tmp_path / "a.jsonl"), files[1].rename(tmp_path / "b.jsonl")]
    assert "T,1.0" in done(call, "evaluate", gold, *files, "--task", "4", "-f", "csv")[0]


def test_articles_and_answers_of_each_year_are_one_run_of_both(call, tmp_path):
    records = [
        {"query_id": f"{year}-01-A", "answer": "Y", "documents": ["1", "2"], "tag": "T"} for year in ("H30", "R01")
    ]
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, record in zip(files, records, strict=True):
        path.write_text(f"{json.dumps(record)}\n")
    pair = '<pair id="{}-01-A" label="Y"><article>1</article><t2>x</t2></pair>'
    gold = tmp_path / "gold.xml"
    gold.write_text(f"<dataset>{pair.format('H30')}{pair.format('R01')}</dataset>")
    for command in ("evaluate", "leaderboard"):
        assert "T,1.0" in done(call, command, gold, *files, "--task", "3", "-f", "csv")[0], command
    (tmp_path / "alone.txt").write_text("H30-01-A Q0 1 1 0.5 U\n")
    _, out, err = call("leaderboard", gold, *files, tmp_path / "alone.txt", "--task", "3", "-f", "csv")
    assert "T,1.0" in out and ",U," not in out and mentions(err, "alone.txt: …[incomplete]")


@pytest.mark.parametrize("named", [True, False])
def test_articles_and_answers_in_a_file_for_each_year_are_one_run(call, tmp_path, *, named):
    pairs = ""
    (tmp_path / "in").mkdir()
    for year, label in (("H30", "Y"), ("R01", "N")):
        (tmp_path / f"in/{year}.answers").write_text(f"{year}-01-A {label} T\n")
        (tmp_path / f"in/{year}.articles").write_text(f"{year}-01-A Q0 96 1 0.5 T\n")
        pairs += f'<pair id="{year}-01-A" label="{label}"><article>96</article><t2>x</t2></pair>'
    (tmp_path / "gold.xml").write_text(f"<dataset>{pairs}</dataset>")
    runs = sorted((tmp_path / "in").iterdir()) if named else [tmp_path / "in"]
    for command in ("evaluate", "leaderboard"):
        assert "T,1.0" in done(call, command, tmp_path / "gold.xml", *runs, "--task", "3", "-f", "csv")[0], command


def test_a_baseline_is_named_as_the_run_is_called(call, tmp_path):
    gold, *files = of_years(tmp_path)
    _, *others = of_years(tmp_path, name="{year}.dense")
    out = done(call, "compare", gold, *files, *others, "--task", "4", "--baseline", "bm25", "-f", "json")[0]
    assert [pair["names"] for pair in json.loads(out)["pairs"]] == [["dense", "bm25"]]


def test_queries_are_those_of_a_run_with_scores_too(call, tmp_path):
    gold, *files = of_years(tmp_path)
    (tmp_path / "ids.json").write_text('{"H30-01-A": {"96": 0.5}}')
    told = done(call, "evaluate", gold, *files, "--task", "4", "--only", tmp_path / "ids.json", "-f", "json")[0]
    assert json.loads(told)["runs"][0]["queries"]["judged"] == 1


def test_articles_in_three_columns_beside_answers_are_of_task_3(call, tmp_path):
    files = [tmp_path / name for name in ("articles.txt", "answers.txt")]
    for path, words in zip(files, (["96", "5-2"], ["Y", "N"]), strict=True):
        path.write_text("".join(f"H30-0{n}-A {word} T\n" for n, word in enumerate(words, 1)))
    gold = tmp_path / "gold.xml"
    pair = '<pair id="H30-0{}-A" label="{}"><article>{}</article><t2>x</t2></pair>'
    gold.write_text(f"<dataset>{pair.format(1, 'Y', '96')}{pair.format(2, 'Y', '5-2')}</dataset>")
    for order in (files, files[::-1]):
        assert "T,0.5,0.5" in done(call, "evaluate", gold, *order, "-f", "csv")[0]


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["gold.txt", "gold2.xml", "H30.bm25.json"], "unknown-format"),
        (["--gold", "gold2.xml", "H30.bm25.json", "R01.bm25.json"], "mixed-forms"),
    ],
)
def test_golds_in_the_wrong_place_are_told_from_runs(call, tmp_path, arguments, kind):
    of_years(tmp_path)
    (tmp_path / "gold2.xml").write_text('<dataset><pair id="R02-1-A" label="Y"><t2>x</t2></pair></dataset>')
    paths = [one if one.startswith("--") else str(tmp_path / one) for one in arguments]
    assert mentions(failing(call, "evaluate", *paths, "--task", "4"), f"[{kind}]")
