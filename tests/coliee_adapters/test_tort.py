from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import wording

from coliee_adapters import tort
from coliee_adapters.errors import InputError
from coliee_adapters.files import Source
from coliee_adapters.records import Answers, Claim, Gold, TortCase

LAYOUT = wording("expected-json-lines")
ALL_OR_NONE = wording("gold-true-false")
DECISION_RULE = wording("any-null-court")
CLAIM_RULE = wording("any-null-accepted")

Write = Callable[[str | bytes], Source]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def write(content: str | bytes) -> Source:
        Path("f.jsonl").write_bytes(content if isinstance(content, bytes) else content.encode())
        return Source("f.jsonl")

    return write


def instance(**changes: Any) -> dict[str, Any]:
    """An instance with one claim a side; ``changes`` replace keys."""
    return {
        "version": "1",
        "tort_id": "0",
        "undisputed_facts": [{"id": "0", "description": "原告は投稿した。"}],
        "plaintiff_claims": [{"id": "0", "description": "権利を侵害する。", "is_accepted": True}],
        "defendant_claims": [{"id": "0", "description": "侵害しない。", "is_accepted": False}],
        "court_decision": True,
        **changes,
    }


def line(**changes: Any) -> str:
    return json.dumps(instance(**changes), ensure_ascii=False)


def without(key: str) -> str:
    return json.dumps({k: v for k, v in instance().items() if k != key}, ensure_ascii=False)


def case(id: str, decision: bool | None, plaintiff: str = "", defendant: str = "", at: int = 0) -> TortCase:
    """A case whose claims are given as a letter each: T, F or N for null."""
    verdicts = {"T": True, "F": False, "N": None}
    of_plaintiff, of_defendant = (
        tuple(Claim(str(n), verdicts[v]) for n, v in enumerate(side)) for side in (plaintiff, defendant)
    )
    return TortCase(id, of_plaintiff, of_defendant, decision, at)


def told(read: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        read()
    return str(caught.value)


# sniff


@pytest.mark.parametrize(
    "head",
    [
        line().encode(),
        b"\r\n \n" + line().encode() + b"\r\n",
        b'{"version": "1", "undisputed_facts": [], "plaintiff_claims" : [',
        line(undisputed_facts=[{"id": "0", "description": "事" * 40_000}]).encode()[: 1 << 16],
        json.dumps([instance()], indent=2).encode(),
        json.dumps(instance(), indent=2).encode(),
    ],
)
def test_tort_cases_are_recognised(head: bytes) -> None:
    assert tort.sniff(head) == "tort"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b'{"008447.txt": ["072495.txt"]}',
        b'["008447.txt", "tort_id"]',
        b'{"a": "he wrote \\"tort_id\\": 3"}',
        b'tort_id "tort_id": 0',
        b'0 Q0 "tort_id": 1 1 x',
        line().encode("utf-16"),
    ],
)
def test_other_files_are_not_taken_for_tort_cases(head: bytes) -> None:
    assert tort.sniff(head) is None


# read_cases


def test_cases_are_read_with_their_lines_and_without_descriptions(write: Write) -> None:
    claims = [
        {"id": "a", "description": "", "is_accepted": None},
        {"id": "b", "description": "", "is_accepted": False},
    ]
    source = write(
        line() + "\n\n" + line(tort_id="7", plaintiff_claims=[], defendant_claims=claims, court_decision=None)
    )
    assert tort.read_cases(source) == [
        TortCase("0", (Claim("0", True),), (Claim("0", False),), True, 1),
        TortCase("7", (), (Claim("a", None), Claim("b", False)), None, 3),
    ]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: text.encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: (" \t\r\n" + text.replace("\n", "  \n\n") + "\n \n").encode(),
        lambda text: gzip.compress(text.encode()),
    ],
    ids=["plain", "byte order mark", "CRLF", "no newline at the end", "blanks", "gzip"],
)
def test_dress_does_not_matter(write: Write, wrap: Callable[[str], bytes]) -> None:
    cases = tort.read_cases(write(wrap(line() + "\n" + line(tort_id="1") + "\n")))
    assert [(c.id, c.court_decision, c.plaintiff_claims) for c in cases] == [
        ("0", True, (Claim("0", True),)),
        ("1", True, (Claim("0", True),)),
    ]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\u3000", "\ufeff", "\U0001f600"])
def test_a_line_ends_with_a_newline_and_nothing_else(write: Write, mark: str) -> None:
    facts = [{"id": "0", "description": f"一{mark}二"}]
    assert len(tort.read_cases(write(line(undisputed_facts=facts) + "\n" + line(tort_id="1")))) == 2


def test_ids_are_compared_as_coliee_does(write: Write) -> None:
    claims = [{"id": 0, "is_accepted": True}, {"id": " 00 ", "is_accepted": True}, {"id": "1.txt", "is_accepted": True}]
    (read,) = tort.read_cases(write(line(tort_id=0, plaintiff_claims=claims)))
    assert read.id == "0"
    assert [claim.id for claim in read.plaintiff_claims] == ["0", "00", "1"]


def test_unknown_keys_are_fine_and_facts_are_not_needed(write: Write) -> None:
    text = '{"court_decision":false,"defendant_claims":[],"plaintiff_claims":[],"tort_id":"0","x":[[{"tort_id":3}]]}'
    assert tort.read_cases(write(text)) == [TortCase("0", (), (), False, 1)]


def test_lines_are_counted_over_blocks(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tort, "_BLOCK", 100)
    source = write("\n".join(line(tort_id=str(n)) + "\n" * (n % 3) for n in range(40)))
    stood = source.text().split("\n")
    cases = tort.read_cases(source)
    assert [c.id for c in cases] == [str(n) for n in range(40)]
    assert all(json.loads(stood[c.line - 1])["tort_id"] == c.id for c in cases)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (json.dumps([instance()], indent=2), "["),
        (json.dumps(instance(), indent=2), "{"),
        ("[" + '{"tort_id": "0"},\n{"tort_id": "1"}]', '[{"tort_id": "0"},'),
        ("[[]]", "[[]]"),
        ("null", "null"),
        ("3\n", "3"),
        ('"tort_id"', '"tort_id"'),
    ],
)
def test_a_line_that_is_not_an_instance_is_refused(write: Write, text: str, found: str) -> None:
    source = write("\n" + text)
    expected = f"f.jsonl, line 2: {wording('line-does-not')} (found '{found}'); {LAYOUT}"
    assert told(lambda: tort.read_cases(source)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"tort_id": "1", "court',
            f"column 18: {wording('broken-json', 'Unterminated string starting at')} (found '\"court')",
        ),
        ("{} ,", f"column 4: {wording('broken-json', wording('extra-data'))} (found ',')"),
        ("{} {}", f"column 4: {wording('broken-json', wording('extra-data'))} (found '{{}}')"),
        ("\u3000", f"column 1: {wording('broken-json', 'Expecting value')} (found '\\u3000')"),
        ('{"tort_id": True}', f"column 13: {wording('broken-json', 'Expecting value')} (found 'True}}')"),
    ],
)
def test_broken_lines_are_refused(write: Write, text: str, expected: str) -> None:
    source = write(line() + "\n" + text + "\r\n")
    assert told(lambda: tort.read_cases(source)).startswith(f"f.jsonl, line 2, {expected}; ")


def test_a_key_twice_is_refused(write: Write) -> None:
    source = write('\n{"tort_id": "0", "court_decision": true, "court_decision": false}')
    assert told(lambda: tort.read_cases(source)) == (
        f"f.jsonl, line 2, column 42: {wording('key-appears-twice')} (found 'court_decision'); "
        + wording("keep-one-two")
    )


def test_bytes_that_are_not_utf_8_are_refused(write: Write) -> None:
    source = write(line().encode() + b"\n" + line().encode("shift-jis"))
    assert told(lambda: tort.read_cases(source)) == (
        f"f.jsonl, line 2: {wording('these-bytes-not')} (found "
        f"'\\\\x8c\\\\xb4\\\\x8d\\\\x90\\\\x82\\\\xcd\\\\x93\\\\x8a'); {wording('save-file-utf-8')}"
    ).replace("\\\\", "\\")


@pytest.mark.parametrize("key", ["tort_id", "plaintiff_claims", "defendant_claims", "court_decision"])
def test_a_missing_key_is_refused(write: Write, key: str) -> None:
    source = write(line(tort_id="1") + "\n" + without(key))
    problem = told(lambda: tort.read_cases(source))
    assert problem.startswith(f"f.jsonl, line 2: {wording('no-key', wording('instance'), key)} (found 'version, ")
    assert problem.endswith("; add it")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"tort_id": True},
            f"{wording('not-id-3', 'tort_id', wording('instance'))} (found 'true'); {wording('expected-text-such')}",
        ),
        (
            {"tort_id": None},
            f"{wording('not-id-3', 'tort_id', wording('instance'))} (found 'null'); {wording('expected-text-such')}",
        ),
        (
            {"tort_id": 0.0},
            f"{wording('not-id-3', 'tort_id', wording('instance'))} (found '0.0'); {wording('expected-text-such')}",
        ),
        (
            {"tort_id": " .txt"},
            f"{wording('not-id-3', 'tort_id', wording('instance'))} (found '\" .txt\"'); "
            + wording("expected-text-such"),
        ),
        (
            {"court_decision": "True"},
            f"{wording('not-verdict', 'court_decision', wording('instance'))} (found '\"True\"'); "
            + wording("expected-true-false"),
        ),
        (
            {"court_decision": 1},
            f"{wording('not-verdict', 'court_decision', wording('instance'))} (found '1'); "
            + wording("expected-true-false"),
        ),
        (
            {"court_decision": []},
            f"{wording('not-verdict', 'court_decision', wording('instance'))} (found '[]'); "
            + wording("expected-true-false"),
        ),
        (
            {"plaintiff_claims": None},
            f"{wording('not-list', 'plaintiff_claims')} (found 'null'); {wording('empty-list-stands')}",
        ),
        (
            {"defendant_claims": {"0": True}},
            f"{wording('not-list', 'defendant_claims')} (found '{{\"0\": true}}'); {wording('empty-list-stands')}",
        ),
        (
            {"defendant_claims": [[{"id": "0", "is_accepted": True}]]},
            f'{wording("not-object-2", "entry 1 of defendant_claims")} (found \'[{{"id": "0", "is_accepted": '
            f"true}}]'); {wording('expected-claims-id')}",
        ),
        (
            {"defendant_claims": [{}]},
            f"{wording('no-key', 'entry 1 of defendant_claims', 'id')} (found ''); {wording('add')}",
        ),
        (
            {"plaintiff_claims": [{"id": "0", "is_accepted": True}, {"id": "1", "accepted": True}]},
            f"{wording('no-key', 'entry 2 of plaintiff_claims', 'is_accepted')} (found 'id, accepted'); "
            + wording("add"),
        ),
        (
            {"plaintiff_claims": [{"id": False, "is_accepted": True}]},
            f"{wording('not-id-3', 'id', 'entry 1 of plaintiff_claims')} (found 'false'); "
            + wording("expected-text-such"),
        ),
        (
            {"plaintiff_claims": [{"id": "0", "is_accepted": "true"}]},
            f"{wording('not-verdict', 'is_accepted', 'entry 1 of plaintiff_claims')} (found '\"true\"'); "
            + wording("expected-true-false"),
        ),
        (
            {"defendant_claims": [{"id": "0", "is_accepted": 0}]},
            f"{wording('not-verdict', 'is_accepted', 'entry 1 of defendant_claims')} (found '0'); "
            + wording("expected-true-false"),
        ),
        (
            {"plaintiff_claims": [{"id": "0", "is_accepted": True}, {"id": 0, "is_accepted": True}]},
            f"{wording('id-earlier-one', 'entry 2 of plaintiff_claims')} (found '0'); {wording('give-each-claim')}",
        ),
        (
            {"tort_id": "1 "},
            f"{wording('tort-id-stands', 1)} (found '1'); {wording('give-each-instance')}",
        ),
    ],
)
def test_wrong_values_are_refused(write: Write, changes: dict[str, Any], expected: str) -> None:
    source = write(line(tort_id="1") + "\r\n\r\n" + line(**changes))
    assert told(lambda: tort.read_cases(source)) == f"f.jsonl, line 3: {expected}"


# gold


def test_gold_has_labels_and_documents() -> None:
    cases = [case("0", True, "TF", "F"), case("1", False), case("2", False, "", "FT")]
    assert tort.gold(cases, "g.jsonl") == Gold(
        qrels={"0": {"p0": 1, "p1": 0, "d0": 0}, "1": {}, "2": {"d0": 0, "d1": 1}},
        labels={"0": True, "1": False, "2": False},
        path="g.jsonl",
        format="tort",
    )


@pytest.mark.parametrize("claims", ["", "NN"])
def test_gold_for_tort_prediction_only(claims: str) -> None:
    found = tort.gold([case("0", True, claims), case("1", False)], "g.jsonl")
    assert found == Gold(labels={"0": True, "1": False}, path="g.jsonl", format="tort")


def test_gold_for_rationale_extraction_only() -> None:
    found = tort.gold([case("0", None, "T"), case("1", None, "", "F")], "g.jsonl")
    assert found == Gold(qrels={"0": {"p0": 1}, "1": {"d0": 0}}, path="g.jsonl", format="tort")


@pytest.mark.parametrize("cases", [[case("0", None, "N", "N"), case("1", None)], [case("0", None)]])
def test_test_data_are_not_gold(cases: list[TortCase]) -> None:
    assert told(lambda: tort.gold(cases, "g.jsonl")) == (
        f"g.jsonl: {wording('test-data-every')}; {wording('give-file-courts')}"
    )


def test_gold_with_some_nulls_is_refused() -> None:
    cases = [case("0", True, "T", at=1), case("x", None, "T", at=3), case("2", None, "T", at=4)]
    assert told(lambda: tort.gold(cases, "g.jsonl")) == (
        "g.jsonl, line 3: " + wording("court-decision-values", 2, 3, "instance 'x'") + f"; {ALL_OR_NONE}"
    )
    cases = [case("0", True, "T", "F", at=1), case("1", False, "F", "TN", at=3)]
    assert told(lambda: tort.gold(cases, "g.jsonl")) == (
        ("g.jsonl, line 3: " + wording("accepted-values-null", 1, 5, "instance '1', defendant claim '1'") + "; ")
        + ALL_OR_NONE
    )


# decisions


def test_decisions_are_answers() -> None:
    found = tort.decisions([case("1", True, "N"), case("0", False)], "s.jsonl", "univ1")
    assert found == Answers({"1": True, "0": False}, tag="univ1", path="s.jsonl", format="tort")
    assert list(found.labels) == ["1", "0"]


def test_a_null_decision_disqualifies() -> None:
    cases = [case("0", True, at=1), case("a\x1b[2J", None, at=2), case("2", None, at=3)]
    assert told(lambda: tort.decisions(cases, "s.jsonl", "univ1")) == (
        ("s.jsonl, line 2: " + wording("court-decision-values", 2, 3, "instance 'a\\x1b[2J'") + "; ") + DECISION_RULE
    )
    assert told(lambda: tort.decisions([case("0", None)], "s.jsonl", "univ1")) == (
        "s.jsonl: " + wording("court-decision-values", 1, 1, "instance '0'") + f"; {DECISION_RULE}"
    )


# claims


def test_accepted_claims_are_a_run_in_the_order_of_the_file() -> None:
    cases = [case("1", None, "FTT", "TF"), case("none", None, "F"), case("empty", None), case("0", None, "", "T")]
    run = tort.claims(cases, "s.jsonl", "univ1")
    assert (run.tag, run.path, run.format, run.scored) == ("univ1", "s.jsonl", "tort", False)
    assert [(q, list(b.documents[first:last])) for b in run.blocks() for q, first, last in b.segments()] == [
        ("1", ["p1", "p2", "d0"]),
        ("none", []),
        ("empty", []),
        ("0", ["d0"]),
    ]


def test_a_null_claim_disqualifies() -> None:
    cases = [case("0", True, "TF", at=1), case("1", True, "TTN", "N", at=5)]
    assert told(lambda: tort.claims(cases, "s.jsonl", "univ1")) == (
        "s.jsonl, line 5: "
        + wording("accepted-values-null", 2, 6, "instance '1', plaintiff claim '2'")
        + "; "
        + f"{CLAIM_RULE}"
    )


# fill


def template() -> str:
    """Two instances as the organisers give them, with null for what is asked."""
    open_claim = {"description": "請求\u2028", "is_accepted": None}
    return "\n".join(
        [
            line(
                plaintiff_claims=[{"id": "0", **open_claim}, {"id": "1", **open_claim}],
                defendant_claims=[{"id": "0", **open_claim}],
                court_decision=None,
            ),
            "",
            line(tort_id=1, plaintiff_claims=[], defendant_claims=[{"id": 7, **open_claim}], court_decision=None),
        ]
    )


def test_a_filled_template_reads_as_what_was_given(write: Write) -> None:
    stream = io.StringIO()
    tort.fill(write(template()), {"0": False, "1": True, "2": True}, {"0": {"d0", "p1"}, "1": ()}, stream)
    cases = tort.read_cases(write(stream.getvalue()))
    assert tort.decisions(cases, "s", "t").labels == {"0": False, "1": True}
    (block,) = tort.claims(cases, "s", "t").blocks()
    assert list(block.segments()) == [("0", 0, 2), ("1", 2, 2)]
    assert list(block.documents) == ["p1", "d0"]


def test_fill_leaves_everything_else_as_it_stands(write: Write) -> None:
    source = write(template())
    stream = io.StringIO()
    tort.fill(source, None, None, stream)
    assert stream.getvalue() == template().replace("\n\n", "\n") + "\n"
    stream = io.StringIO()
    tort.fill(source, None, {"0": ["p0"], "1": ["d7"]}, stream)
    first, second = template().split("\n\n")
    assert stream.getvalue() == (
        first.replace('"is_accepted": null', '"is_accepted": true', 1).replace(
            '"is_accepted": null', '"is_accepted": false'
        )
        + "\n"
        + second.replace('"is_accepted": null', '"is_accepted": true')
        + "\n"
    )


@pytest.mark.parametrize(
    ("decisions", "accepted", "expected"),
    [
        ({"0": True}, None, "line 3: " + wording("no-court-decision", "'1'") + f"; {DECISION_RULE}"),
        (None, {"1": ["d7"]}, "line 1: " + wording("no-accepted-claims", "'0'") + f"; {CLAIM_RULE}"),
        (
            None,
            {"0": ["p0", "1"], "1": []},
            "line 1: " + wording("instance-no-such", "'0'") + " (found '1'); " + wording("p0-plaintiffs-claim"),
        ),
    ],
)
def test_what_does_not_fit_the_template_is_refused(
    write: Write, decisions: dict[str, bool] | None, accepted: dict[str, list[str]] | None, expected: str
) -> None:
    source = write(template())
    assert told(lambda: tort.fill(source, decisions, accepted, io.StringIO())) == f"f.jsonl, {expected}"


def test_a_template_that_cannot_be_read_is_refused(write: Write) -> None:
    source = write(line() + "\n" + line())
    assert told(lambda: tort.fill(source, None, None, io.StringIO())) == (
        f"f.jsonl, line 2: {wording('tort-id-stands', 1)} (found '0'); {wording('give-each-instance')}"
    )
