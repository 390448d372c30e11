"""What ``evaluate --show`` shows in the place of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from coliee_ir.commands.evaluate.details import Details, by_year, stages
from coliee_ir.commands.evaluate.gap import gap, overlap
from coliee_ir.scoring.scores import Scored

#: name → what makes it of runs with their judged documents
WAYS: Final[Mapping[str, Callable[[Scored], Details]]] = {
    "years": by_year,
    "stages": stages,
    "gap": gap,
    "overlap": overlap,
}
