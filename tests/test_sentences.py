"""What users read: some turns of phrase do not come back."""

import re

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
