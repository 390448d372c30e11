"""Files of scores in the place of a gold and runs: a folder of them, and what is refused without a traceback."""

from pathlib import Path

import pytest
from asserting import begins, done, failing


@pytest.mark.parametrize("command", ["leaderboard", "compare", "plan"])
def test_a_folder_of_scores_is_read_as_its_files(command, here, call):
    files = []
    Path("te").mkdir()
    for run in (2, 3):
        files.append(Path("te", f"{run}.eval"))
        files[-1].write_text("".join(f"map q{at} {at * run % 7 / 7:.4f}\n" for at in range(12)))
    Path("te/.hidden").write_text("no scores")
    folder, single = (done(call, command, *paths, "--resamples", "99", "-f", "csv")[0] for paths in (["te"], files))
    assert folder == single
    Path("empty").mkdir()
    Path("golds").mkdir()
    Path("golds/g.json").write_text('{"q1": ["d1"]}')
    for name in ("empty", "golds"):
        assert begins(failing(call, command, name), f"coliee-ir: {name}: [empty]")


def test_a_table_is_one_of_scores_also_where_its_first_bytes_end_within_a_row(here, call):
    rows = [f"r{run},q{query:05},0.{run}\n" for run in (1, 2) for query in range(5000)]
    Path("long.csv").write_text("run,query,AP\n" + "".join(rows))
    out, _ = done(call, "leaderboard", "long.csv", "--resamples", "9")
    assert "0.2000" in out and "0.1000" in out
