"""Files in the wrong place: a part of a run where another belongs, or where another run has none."""

import math

import pytest
from asserting import done, refusing
from example_runs import EXAMPLES

from coliee_adapters.errors import InputError
from coliee_ir import compare, evaluate, evaluate_all, leaderboard, plan, report, to_run, tune
from coliee_ir.commands.evaluate.details import by_year
from coliee_ir.reading.submission import Submission

LAST = EXAMPLES / "task3-2025"
GOLD, RULES = LAST / "gold.xml", {"task": "3", "edition": 2025}
WITH = Submission(LAST / "task3.ALPHA", long_list=LAST / "task3-L.ALPHA")
WITHOUT = Submission(LAST / "task3.BETA")


@pytest.fixture
def ask(call):
    """Runs a command by the rules of 2025, in whose words GOLD is the gold."""

    def asked(words, *rules):
        typed = [GOLD if word == "GOLD" else word for word in words.split()]
        return call(*typed, *(rules or ("--task", "3", "--edition", "2025")))

    return asked


@pytest.mark.parametrize("order", [(WITH, WITHOUT), (WITHOUT, WITH)], ids=["first", "second"])
def test_where_one_run_has_a_long_list_the_others_have_a_dash(order, tmp_path):
    scored = evaluate_all(GOLD, order, **RULES, keep="judged")
    for shown in (scored, leaderboard(scored, n_resamples=99), by_year(scored)):
        frame = shown.to_frame().set_index("run")
        assert math.isnan(frame.loc["BETA", "AP"].min()) and frame.loc["ALPHA", "AP"].max() > 0.7
        assert " & AP " in shown.to_latex() and " AP " in str(shown)
    frame = scored.to_frame(per_query=True).set_index("run")
    assert frame.loc["BETA", "MicroR@5.above"].isna().all() and not frame.loc["ALPHA", "MicroR@5.above"].isna().any()
    assert compare(scored, n_resamples=99).pairs and plan(scored).tables()
    report(scored, tmp_path / "page.html")


@pytest.fixture
def renamed(here):
    """The example's files under names that say nothing, and a file of labels."""
    for name, file in {"s.txt": "task3.ALPHA", "l.txt": "task3-L.ALPHA", "b.txt": "task3.BETA"}.items():
        (here / name).write_bytes((LAST / file).read_bytes())
    queries = dict.fromkeys(line.split()[0] for line in (LAST / "task3.ALPHA").read_text().splitlines())
    (here / "labels.txt").write_text("".join(f"{query} Y ALPHA\n" for query in queries))


@pytest.mark.usefixtures("renamed")
def test_a_part_in_the_place_of_another_is_refused_and_what_is_asked_for_as_it_is_scored(ask):
    for words in (
        "evaluate GOLD l.txt -m MacroF2", "evaluate GOLD l.txt --long-list s.txt", "evaluate GOLD l.txt b.txt",
        "compare GOLD l.txt b.txt", "plan GOLD l.txt b.txt", "report GOLD l.txt -o page.html",
        "leaderboard GOLD l.txt b.txt", "evaluate GOLD labels.txt", "evaluate GOLD s.txt --long-list labels.txt",
        "tune GOLD labels.txt",
    ):  # fmt: skip
        code, out, err = ask(words)
        assert code == 2 and "ALPHA" not in out and "[wrong-part]" in err
    for words in ("evaluate GOLD l.txt -m AP", "evaluate GOLD l.txt -m MacroF2@5", "tune GOLD l.txt"):
        done(ask, words)
    for words, year, remedy in (("evaluate GOLD s.txt --long-list l.txt", "2026", "2025"),
                                ("evaluate GOLD s.txt --answers labels.txt", "2025", "2026")):  # fmt: skip
        code, _, err = ask(words, "--edition", year)
        assert code == 2 and "[unfit-option]" in err and f"--edition {remedy}" in err
        done(ask, words, "--edition", remedy)


def test_a_short_file_that_is_named_as_a_long_list_and_rankings_in_memory_are_long_lists(here):
    short, named = here / "task3.ALPHA", here / "task3-L.ALPHA"
    for path in (short, named):
        path.write_bytes((LAST / "task3.ALPHA").read_bytes())
    for options in ({}, {"long_list": short}, {"long_list": short, "measures": "AP"}):
        with refusing(InputError, "task3-L.ALPHA: [wrong-part]"):
            evaluate(GOLD, named, **RULES, **options)
    assert evaluate(GOLD, named, **RULES, measures="AP").measures["AP"] > 0.6
    assert evaluate(GOLD, short, **RULES, long_list=named).measures["AP"] > 0.6
    longer, short = to_run(LAST / "task3-L.ALPHA", task="3"), to_run(short, task="3")
    for given in ({}, {"long_list": short}):
        with refusing(InputError, "[wrong-part]"):
            evaluate(GOLD, longer, **RULES, **given)
    assert tune(GOLD, longer, **RULES, folds=3).held_out > 0.5
    assert evaluate(GOLD, short, **RULES, long_list=longer).measures["AP"] > 0.7
