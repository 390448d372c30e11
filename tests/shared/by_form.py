"""Forms asked for by name, as the tests of a module do, through the doors that users take."""

import json
from collections.abc import Mapping

from coliee_adapters.forms import detect
from coliee_adapters.forms.form import FormContent
from coliee_adapters.kinds import ERRORS
from coliee_adapters.records import normal_id


def readers(gold, run, usual=normal_id):
    """What reads a gold of one form, and a run of another."""

    def read_gold(source, rule=usual):
        return detect.read_gold(source, form=gold, rule=rule)

    def read_run(source, rule=usual):
        return detect.read_run(source, form=run, rule=rule)

    return read_gold, read_run


def ranked(run):
    """Query → its documents with their scores, in the order of their lines."""
    found = {}
    for block in run.blocks():
        scores = [None] * len(block.documents) if block.scores is None else list(block.scores)
        for query, first, last in block.segments():
            pairs = zip(block.documents[first:last], scores[first:last], strict=True)
            found.setdefault(query, []).extend(pairs)
    return found


def place_of(error):
    """The line and the text of an error, whose kind is one that there is."""
    assert error.kind in ERRORS
    return error.line, error.found


def one_a_line(objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


def sniffed(head, *modules):
    """The forms of these modules that a beginning has, as a gold and as a run."""
    forms = [form for module in modules for form in module.FORMS if form.sniff(head)]
    return [next((form.name for form in forms if form.kind == kind), None) for kind in ("gold", "run")]


def write(name, documents, stream, **more):
    """Documents with numbers, or in order, and what else stands in a file of this form; what has a tag is a run."""
    kind = "run" if {"tag", "template"} & more.keys() else "gold"
    held = {query: of if isinstance(of, Mapping) else dict.fromkeys(of, 1) for query, of in documents.items()}
    write = next(form.write for form in detect.known_forms(kind) if form.name == name)
    assert write is not None
    write(FormContent(held, **more), stream)
