"""What tests need beside what the package itself needs."""

import importlib.util
import os

import pytest


def needs(module):
    """Skip a test where a module is not installed; in CI, where the extra ``test`` installs it, the test fails."""
    if importlib.util.find_spec(module) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{module} is not installed: see the extra test in pyproject.toml")
        pytest.skip(f"{module} is not installed")
