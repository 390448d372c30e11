"""The examples in docstrings of both packages print what they show."""

import doctest
import importlib
import re

import pytest
from places import ROOT

MODULES = [
    ".".join(module.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
    for folder, package in ((ROOT, "coliee_ir"), (ROOT / "adapters", "coliee_adapters"))
    for module in sorted((folder / package).rglob("*.py"))
    if re.search(r">>> (?!.*\+SKIP)", module.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_print_what_they_show(module):
    result = doctest.testmod(importlib.import_module(module))
    assert (result.attempted > 0, result.failed) == (True, 0)
