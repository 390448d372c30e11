"""Invented files of every task, gold and runs, for ``coliee-ir demo``: the law, the cases and the people too."""
