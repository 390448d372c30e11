"""``coliee-ir cut RUN --by k=5``, by a rule that is typed or in a file, or by filters alone."""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import replace
from functools import partial

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import json_text
from coliee_ir.cli import print_remark, scoring, tune
from coliee_ir.commands import tune as cutoffs
from coliee_ir.reading.anything import in_order, read_run


def run(options: argparse.Namespace) -> int:
    """Cut the run and write it."""
    session = scoring.Session(options)
    session.find(options.output)
    read = partial(read_run, task=options.task)
    several = UsageError("usage", "cut takes the files of one run: name the file to write with -o; golds are for tune")
    try:
        ranking, *others = session.joined(session.sources(*options.ranking), read)
    except InputError as error:
        if error.kind == "no-file" and error.path in options.ranking[1:]:
            raise several from None
        raise
    if others:
        raise several
    filters = tune.chosen_filters(options, options.task)
    rule: cutoffs.Rule | None = None
    if options.rule is not None and options.by is not None:
        raise UsageError("option-conflict", "--by and --rule cannot be given together")
    if options.rule is not None:
        if re.fullmatch(r"\w+=[0-9.,=a-z]+", options.rule):
            raise UsageError("bad-value", f"--rule takes a file; did you mean --by {options.rule}?")
        rule = _rule(options.rule, [filter_.name for filter_ in filters])
    elif options.by is not None:
        rule = _typed(options.by)
    elif not filters:
        raise UsageError(
            "option-needed", "nothing to do: give --by RULE=THRESHOLD, --rule FILE, or a filter such as --not-itself"
        )
    if "order" in (decided := dict(options.decision)):
        ranking = in_order(read(ranking), decided["order"])
        rule = None if rule is None else replace(rule, order=decided["order"])
    cut = cutoffs.cut(ranking, rule, task=options.task, filters=filters)
    tag = tune.fit_tag(options, cut, options.task)
    if rule is not None:
        print_remark(f"keep {rule}")
    return int(tune.write(options, cut, options.task, tag))


def _typed(text: str) -> cutoffs.Rule:
    """The rule of ``k=5``, or of ``score=0.5,floor=1,cap=10``."""
    try:
        (family, threshold), *more = (part.split("=") for part in text.split(","))
        bounds = {name: int(number) for name, number in more}
        if bounds.keys() <= {"floor", "cap"}:
            rule = cutoffs.Rule(family, float(threshold), bounds.get("floor", 0), bounds.get("cap"))
            n = min(max(rule.threshold, rule.floor), math.inf if rule.cap is None else rule.cap)
            if family == "k" and n != rule.threshold:
                raise UsageError("bad-value", f"{text} keeps {n:g} documents of each query: write k={n:g}")
            return rule
        raise ValueError
    except ValueError:
        raise UsageError(
            "bad-value", f"--by takes a rule and its threshold, as in k=5 or score=0.5,cap=10, not {text}"
        ) from None


def _rule(path: str, filters: list[str]) -> cutoffs.Rule:
    """The rule in a file; on standard error whether it was chosen with other filters."""
    source = Source(path)
    members = json_text.parse(source.text(), source.name)
    if isinstance(members, dict) and isinstance(members.get("rule"), dict):
        members = members["rule"]
    try:
        rule = cutoffs.Rule.from_dict(members)
    except UsageError as error:
        raise InputError(error.kind, source.name, str(error)) from None
    before = members.get("filters") if isinstance(members, dict) else None
    if isinstance(before, list) and before != filters:
        print_remark(f"the rule was chosen with other filters: {'; '.join(map(str, before)) or 'none'}")
    return rule
