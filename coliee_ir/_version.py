"""The version of this package, without anything else that would have to be imported."""

__version__ = "0.1.0"
