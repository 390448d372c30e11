"""Remarks in sentences: what was found, and what was done about it in the measures that were computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from coliee_adapters.errors import shortened
from coliee_adapters.forms.lines import counted
from coliee_adapters.remarks import Remark
from coliee_ir.judging.upside_down import UpsideDown
from coliee_ir.measures import Measure
from coliee_ir.measures.base import by_part
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import without_answers
from coliee_ir.scoring.measuring import NEEDED
from coliee_ir.scoring.prepared import Prepared
from coliee_ir.scoring.remarking import Noted


def sentences(
    noted: Noted, measures: Sequence[Measure], on_long_list: Sequence[Measure], against: Prepared
) -> Iterator[Remark]:
    """The remarks, those that move a score first."""
    decisions = against.decisions
    of_parts = by_part(measures)
    yield from noted.remarks.sentences(_clauses(decisions, of_parts["documents"]))
    if noted.other_tag is not None:
        yield Remark("other-tag", f"the answers have another run tag: {shortened(noted.other_tag)}")
    if "long" in noted.of_part:
        for sentence in noted.of_part["long"].sentences(_clauses(decisions, on_long_list)):
            yield sentence.of_part("long", "long list")
    if noted.left_out:
        yield Remark("left-out", _left_out(noted.left_out, against))
    if absent := [query for query in against.rules.exclude if query not in against.excluded]:
        first = "; ".join(map(shortened, absent[:3]))
        excluded = f"the protocol excludes {counted(len(absent), 'query')} that the gold does not have (first: {first})"
        yield Remark("absent-exclusion", excluded)
    for side, remarks in noted.of_part.items():
        if side != "long":
            clauses = _clauses(decisions, of_parts[side]) if side in of_parts else decisions.clauses()
            yield from (sentence.of_part(side, side) for sentence in remarks.sentences(clauses))
    for part, of_part in of_parts.items():
        yield from _unreached(part, of_part, against)
    for part, found in noted.upside_down.items():
        remark = Remark("upside-down", _upside_down(found))
        yield remark.of_part("long", "long list") if part == "long" else remark
    if noted.gold_itself:
        yield Remark("gold-itself", "the run equals the gold in every judgement; is it the gold?")
    if noted.unjudged:
        yield Remark("unjudged-query", _unjudged(noted.unjudged))


def _clauses(decisions: Decisions, measures: Sequence[Measure]) -> Mapping[str, str]:
    """What was done about a kind of remark in the measures that are computed, and in no others."""
    clauses = decisions.clauses({measure.name: measure.follows for measure in measures})
    done = {measure.without_relevant(decisions) for measure in measures} - {""}
    # what has a verb of its own goes behind what takes the query for its subject
    return {**clauses, "empty-gold": "; ".join(sorted(done, key=lambda clause: (clause.startswith("in "), clause)))}


def _left_out(names: Sequence[str], against: Prepared) -> str:
    if not against.rules.is_coliee:
        return f"{' and '.join(names)} cannot be scored, since this submission does not hold all parts of the task"
    needed = NEEDED["answers"] if "answers" in against.qrels else f"labels, and {against.gold.path} holds none"
    sentence = f"{' and '.join(names)} cannot be scored without {needed}"
    if (earlier := without_answers(against.rules.task)) is not None:
        sentence += f"; by the rules up to {earlier.last}, {earlier.ranking} ranks (--edition {earlier.last})"
    return sentence


def _unreached(part: str, measures: Sequence[Measure], against: Prepared) -> Iterator[Remark]:
    """Measures that count no document of the gold, because none is that relevant."""
    asked = {measure.name: measure.least_relevance for measure in measures if measure.least_relevance > 1}
    if not asked or part not in against.qrels:
        return
    greatest = int(against.qrels[part].relevance.max(initial=0))
    if names := [name for name, level in asked.items() if level > greatest]:
        shown = " and ".join(names)
        sentence = f"no document is relevant in {shown}: the greatest relevance in {against.gold.path} is {greatest}"
        yield Remark("relevance-not-reached", sentence)


def _upside_down(found: UpsideDown) -> str:
    return (
        f"the ranking is better upside down: AP is {found.as_it_is:.4f}, and {found.reversed:.4f} if "
        "every list is reversed; does it lead with the worst?"
    )


def _unjudged(queries: Sequence[str]) -> str:
    what = "1 query has" if len(queries) == 1 else f"{len(queries)} queries have"
    shown = "; ".join(map(shortened, queries[:3]))
    return f"{what} no judged document in the gold; trec_eval's measures leave such out (first: {shown})"
