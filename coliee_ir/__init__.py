"""Scores COLIEE runs from the files as they are."""

__version__ = "0.1.0"
