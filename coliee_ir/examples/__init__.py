"""Invented files of every task, gold and runs, for ``coliee-ir demo``; made by ``tests/data/make_examples.py``."""
