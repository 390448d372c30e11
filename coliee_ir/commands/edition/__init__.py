"""An edition in one file and one command: the desk, the public site, the paper.

coliee.toml ──read_edition──▶ Edition ──day_of──▶ Day ──desk · public · paper──▶ files ──write──▶ DIR
"""

from coliee_ir.commands.edition.config import Edition, Public, TaskPart, new, read_edition
from coliee_ir.commands.edition.day import Day, Decision, day_of
from coliee_ir.commands.edition.public import is_drawn
from coliee_ir.commands.edition.writing import News, summary_lines, unchanged, write

__all__ = [
    "Day", "Decision", "Edition", "News", "Public", "TaskPart", "day_of", "is_drawn", "new", "read_edition",
    "summary_lines", "unchanged", "write",
]  # fmt: skip
