"""The formats of golds and runs, one module each, and what their readers share: columns, rows, words, lines.

Few files need most of them, so ``forms.tort`` loads a module when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from coliee_adapters.forms import arrow as arrow
    from coliee_adapters.forms import case_law as case_law
    from coliee_adapters.forms import frames as frames
    from coliee_adapters.forms import markup as markup
    from coliee_adapters.forms import parquet as parquet
    from coliee_adapters.forms import statute as statute
    from coliee_adapters.forms import tort as tort

#: what the columns of tables are called
ROLES: Final = (
    "query", "document", "relevance", "score", "rank", "label", "answer", "tag", "retrieved", "measure", "value",
    "replicate", "task",
)  # fmt: skip


def __getattr__(name: str) -> ModuleType:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError:
        raise AttributeError(name) from None
