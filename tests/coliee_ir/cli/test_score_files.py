"""Files of scores in the place of a gold and runs: a folder of them, and what is refused without a traceback."""

import pytest
from asserting import done, mentions, refusing

import coliee_ir
from coliee_ir import Scored, UsageError

LONG = "run,query,AP\n" + "".join(
    f"{run},q{at},{at * step % 7 / 7:.4f}\n" for run, step in (("a", 2), ("b", 3), ("c", 5)) for at in range(12)
)
COMMANDS = ("leaderboard", "compare", "plan")


def _per_run(folder):
    folder.mkdir()
    for run, step in (("a", 2), ("b", 3)):
        lines = (f"map q{at} {at * step % 7 / 7:.4f}\n" for at in range(12))
        (folder / f"{run}.eval").write_text("".join(lines))
    return [str(folder / "a.eval"), str(folder / "b.eval")]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_of_scores_is_read_as_its_files(command, here, call):
    files = _per_run(here / "te")
    (here / "te" / ".hidden").write_text("no scores")
    folder, single = (call(command, *paths, "--resamples", "99", "-f", "csv") for paths in (["te"], files))
    assert folder[:2] == single[:2]
    assert folder[0] == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_without_scores_is_refused(command, here, call):
    (here / "empty").mkdir()
    (here / "golds").mkdir()
    (here / "golds" / "g.json").write_text('{"q1": ["d1"]}')
    for folder in ("empty", "golds"):
        code, out, err = call(command, folder)
        assert (code, out) == (2, "")
        assert mentions(err, f"coliee-ir: {folder}: [empty]")


def test_groups_without_a_query_are_refused_with_another_table_too(here, call):
    (here / "a.csv").write_text(LONG)
    (here / "b.csv").write_text(LONG)
    (here / "groups.txt").write_text("".join(f"q{at} g{at % 3}\n" for at in range(11)))
    code, _, err = call("compare", "a.csv", "--other-gold", "b.csv", "--groups", "groups.txt", "--resamples", "99")
    assert code == 2
    assert mentions(err, "coliee-ir: [missing-key]")


@pytest.mark.parametrize(
    ("typed", "remedy"), [("evaluate --gold g.json a.run", "GOLD RUN"), ("convert a.run --to columns -o b", "OUT is")]
)
def test_what_goes_by_place_is_told_where_an_option_was_typed(typed, remedy, call):
    code, out, err = call(*typed.split())
    assert (code, out, "[usage]" in err, remedy in err) == (2, "", True, True)


def test_no_file_is_refused():
    with refusing(UsageError, "[no-run]"):
        Scored.read()


def test_two_golds_may_be_a_frame(here):
    (here / "a.csv").write_text(LONG)
    pair = [Scored.read("a.csv"), Scored.read("a.csv")]
    assert len(coliee_ir.compare(pair[0], other=pair[1], n_resamples=99).to_frame("polars").columns) == 12


def test_a_table_is_one_of_scores_also_where_its_first_bytes_end_within_a_row(here, call):
    rows = [f"r{run},q{query:05},0.{run}" for run in (1, 2) for query in range(5000)]
    (here / "long.csv").write_text("\n".join(["run,query,AP", *rows, ""]))
    out, _ = done(call, "leaderboard", "long.csv", "--resamples", "9")
    assert "0.2000" in out and "0.1000" in out
