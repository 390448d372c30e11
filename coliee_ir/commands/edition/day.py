"""A day of an edition: what came, scored task by task, and what a person must decide."""

from __future__ import annotations

from coliee_adapters.classes import NamedTuple
from coliee_ir.commands.edition.config import Edition
from coliee_ir.commands.leaderboard import Leaderboard
from coliee_ir.commands.validate.result import Inbox


class Decision(NamedTuple):
    """What a person must decide."""

    kind: str  # in a word
    what: str  # in a sentence
    team: str = ""
    run: str = ""
    file: str = ""


class Day(NamedTuple):
    """What an edition comes to."""

    edition: Edition
    inbox: Inbox  # what came in the mailbox, file by file
    boards: tuple[Leaderboard, ...]  # in the order of the tasks
    decide: tuple[Decision, ...]
