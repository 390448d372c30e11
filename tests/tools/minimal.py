"""The lowest versions that pyproject.toml allows, of the core and of the extras named, as constraints for pip."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = [one for name in sys.argv[1:] for one in project["optional-dependencies"][name]]
for needed in [*project["dependencies"], *extras]:
    if found := re.match(r"([\w.-]+)>=([\d.]+)", needed):
        print(f"{found[1]}=={found[2]}")
