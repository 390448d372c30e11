"""The day of an edition of honest teams, and of what is sent besides."""

import json
import shutil

import make_mailbox as made
import pytest
from honest import HONEST, QUERIES
from sent import write

from coliee_ir.commands.edition.config import read_edition
from coliee_ir.commands.edition.day import day_of


@pytest.fixture
def hold(tmp_path, monkeypatch):
    """Holds an edition whose mailbox has these files and no others, with rows of the list of teams."""
    monkeypatch.chdir(tmp_path)

    def held(files, rows="", honest=HONEST, mailbox='"in"', year=2026, tasks="1", settled=("undescribed EVIL abcd",)):
        shutil.rmtree("in", ignore_errors=True)
        write({
            "gold1": json.dumps({f"{n:06}": [f"{n + 500:06}"] for n in QUERIES}),
            **dict.fromkeys(("gold3", "gold4"), made._golds()["gold/statute.xml"]),
            "teams.csv": f"tag,team,status\n,BLUE,ranked\n{rows}",
            "coliee.toml": f'name = "T"\nmailbox = {mailbox}\nteams = "teams.csv"\nresamples = 99\nyear = {year}\n'
            f"settled = {json.dumps(settled)}\ndeadline = 2027-01-20T23:59:59Z\n"
            + "".join(f'[[task]]\ntask = "{task}"\ngold = "gold{task}"\n' for task in tasks),
            **{f"in/{name}": of for name, of in {**honest, **files}.items()},
        })  # fmt: skip
        return day_of(read_edition("coliee.toml"))

    return held
