"""Files in the wrong place: a part of a run where another belongs, or where another run has none."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from asserting import Call, done
from example_runs import EXAMPLES

from coliee_ir import compare, evaluate_all, leaderboard, plan, report
from coliee_ir.commands.evaluate.details import by_year
from coliee_ir.reading.anything import read_gold
from coliee_ir.reading.submission import Submission

LAST = EXAMPLES / "task3-2025"
GOLD = LAST / "gold.xml"
WITH = Submission(LAST / "task3.ALPHA", long_list=LAST / "task3-L.ALPHA")
WITHOUT = Submission(LAST / "task3.BETA")


@pytest.mark.parametrize("order", [(WITH, WITHOUT), (WITHOUT, WITH)], ids=["first", "second"])
def test_where_one_run_has_a_long_list_the_others_have_a_dash(order: tuple[Submission, ...], tmp_path: Path) -> None:
    scored = evaluate_all(GOLD, order, task="3", edition=2025, keep="judged")
    for shown in (scored, leaderboard(scored, n_resamples=99), by_year(scored, read_gold(GOLD))):
        frame = shown.to_frame().set_index("run")
        assert math.isnan(frame.loc["BETA", "AP"].min()) and frame.loc["ALPHA", "AP"].max() > 0.7
        assert " & AP " in shown.to_latex() and " AP " in str(shown)
    frame = scored.to_frame(per_query=True).set_index("run")
    assert frame.loc["BETA", "MicroR@5.above"].isna().all() and not frame.loc["ALPHA", "MicroR@5.above"].isna().any()
    assert [len(run["per_query"]) for run in scored.to_dict(per_query=True)["runs"]] == [30, 30]
    assert compare(scored, n_resamples=99).pairs and plan(scored).tables()
    report(scored, tmp_path / "page.html")


@pytest.mark.parametrize("form", ["table", "csv", "latex", "json"])
@pytest.mark.parametrize("shown", [[], ["-q"], ["--by-year"], ["--overlap"], ["--gap"], ["--ties"]])
def test_every_table_of_a_folder_has_room_for_such_runs(
    call: Call, tmp_path: Path, form: str, shown: list[str]
) -> None:
    for name in ("task3.ALPHA", "task3-L.ALPHA", "task3.BETA"):
        (tmp_path / name).write_bytes((LAST / name).read_bytes())
    out, _ = done(call, "evaluate", GOLD, tmp_path, "--task", "3", "--edition", "2025", "-f", form, *shown)
    assert out.count("ALPHA") and out.count("BETA")
