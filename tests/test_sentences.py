"""What users read: captions are short, the method is named once, and some turns of phrase do not come back."""

import re

from example_runs import shown

import coliee_ir
from coliee_adapters.kinds import ERRORS, REMARKS
from coliee_ir import cli
from coliee_ir.cli.options import OPTIONS
from coliee_ir.commands.validate import RULES

AVOIDED = re.compile(
    r"same kind|\b(?:tells?|told|stands?) (?:for|of|that|by)\b|\bof which\b|\b(?:of|than|by) what\b|, and so \("
    r"|(?:list|sheet) of teams|passed over|upside down|whoever|\bso many\b"
)


def texts():
    """Everything short that users read, and where it is from."""
    yield from ERRORS.items()
    yield from ((kind, str(sentence)) for kind, sentence in REMARKS.items())
    yield from cli.COMMANDS.items()
    yield from ((name, str(option.settings.get("help", ""))) for name, option in OPTIONS.items())
    yield from ((name, f"{rule.says}; {rule.remedy}") for name, rule in RULES.items())


def test_turns_of_phrase_that_are_read_twice_do_not_come_back():
    assert not [(name, text) for name, text in texts() if AVOIDED.search(text)]


def test_captions_have_two_sentences_at_most():
    gold, *runs = shown("1")
    scored = coliee_ir.evaluate_all(gold, runs)
    several = coliee_ir.evaluate_all(gold, runs, measures=["MicroF1", "MicroR"])
    for result in (
        coliee_ir.compare(scored, n_resamples=99),
        coliee_ir.compare(scored[:2], n_resamples=99, margin=0.05),
        coliee_ir.compare(several, measures=["MicroF1", "MicroR"], n_resamples=99, margin=0.05),
        coliee_ir.plan(scored, n_resamples=99),
        coliee_ir.leaderboard(scored, n_resamples=99),
        coliee_ir.tune(gold, runs[2], by="k", repeats=1),
        coliee_ir.fit_fusion(gold, *runs[:2]),
    ):
        for caption in (table.caption for table in result.tables()):
            assert len(caption) <= 160, caption
            assert len(re.findall(r"\.(?: |$)", caption)) <= 2, caption
            assert "seed" not in caption and "resamples" not in caption, caption
        assert sum(note.startswith("method: ") for note in result.notes()) <= 1
