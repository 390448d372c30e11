"""An edition in one file and one command: the desk, the public site, the paper.

coliee.toml ──read_edition──▶ Edition ──day──▶ Day ──desk · public · paper──▶ files ──write──▶ out/
"""

from coliee_ir.commands.edition.config import Edition, Public, TaskPart, read_edition
from coliee_ir.commands.edition.day import Day, Decision

__all__ = ["Day", "Decision", "Edition", "Public", "TaskPart", "read_edition"]
