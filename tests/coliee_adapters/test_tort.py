from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asserting import heard

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, tort
from coliee_adapters.forms.form import Written
from coliee_adapters.forms.tort import Claim, TortCase
from coliee_adapters.records import Answers, Gold, Run

LAYOUT = "…"
ALL_OR_NONE = "gold has true or false for every one of them, or null for all"
DECISION_RULE = "…"
CLAIM_RULE = "…"

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


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(cases: list[TortCase], name: str) -> Source:
    """A file of these cases, each in its line."""
    lines: list[str] = []
    for one in cases:
        lines += [""] * (one.line - 1 - len(lines))
        sides = (one.plaintiff_claims, one.defendant_claims)
        claims = ([{"id": claim.id, "is_accepted": claim.is_accepted} for claim in side] for side in sides)
        both = dict(zip(("plaintiff_claims", "defendant_claims"), claims, strict=True))
        lines.append(line(tort_id=one.id, **both, court_decision=one.court_decision))
    Path(name).write_text("\n".join(lines))
    return Source(name)


def gold_of(cases: list[TortCase]) -> Gold:
    return detect.read_gold(put(cases, "g.jsonl"), form="tort")


def decisions_of(source: Source) -> Answers:
    found = detect.read_run(source, form="tort")
    assert isinstance(found, Answers)
    return found


def claims_of(source: Source) -> Run:
    found = detect.read_run(source, form="claims")
    assert isinstance(found, Run)
    return found


def fill(
    source: Source, decisions: dict[str, bool] | None, accepted: dict[str, list[str]] | None, stream: io.StringIO
) -> None:
    documents = {query: dict.fromkeys(found, 1) for query, found in (accepted or {}).items()}
    form = next(form for form in tort.FORMS if form.write)
    assert form.write is not None
    form.write(Written(documents, decisions, accepted is None, False, template=source), stream)


def told(read: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        read()
    return heard(caught.value)


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
    assert tort.sniff(head)


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
    assert not tort.sniff(head)


# read_cases


def test_cases_are_read_with_their_lines_and_without_descriptions(write: Write) -> None:
    claims = [{"id": "a", "description": "", "is_accepted": None}, {"id": "b", "description": "", "is_accepted": False}]
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
    expected = f"f.jsonl, line 2: [structure] (found '{found}'); {LAYOUT}"
    assert told(lambda: tort.read_cases(source)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"tort_id": "1", "court', "column 18: [syntax] Unterminated string starting at … (found '\"court')"),
        ("{} ,", "column 4: [syntax] (found ',')"),
        ("{} {}", "column 4: [syntax] (found '{}')"),
        ("\u3000", "column 1: [syntax] Expecting value … (found '\\u3000')"),
        ('{"tort_id": True}', "column 13: [syntax] Expecting value … (found 'True}')"),
    ],
)
def test_broken_lines_are_refused(write: Write, text: str, expected: str) -> None:
    source = write(line() + "\n" + text + "\r\n")
    assert told(lambda: tort.read_cases(source)).startswith(f"f.jsonl, line 2, {expected}; ")


def test_a_key_twice_is_refused(write: Write) -> None:
    source = write('\n{"tort_id": "0", "court_decision": true, "court_decision": false}')
    assert told(lambda: tort.read_cases(source)) == ("f.jsonl, line 2, column 42: [duplicate] (found 'court_decision')")


def test_bytes_that_are_not_utf_8_are_refused(write: Write) -> None:
    source = write(line().encode() + b"\n" + line().encode("shift-jis"))
    assert told(lambda: tort.read_cases(source)) == (
        "f.jsonl, line 2: [encoding] (found '\\\\x8c\\\\xb4\\\\x8d\\\\x90\\\\x82\\\\xcd\\\\x93\\\\x8a')"
    ).replace("\\\\", "\\")


@pytest.mark.parametrize("key", ["tort_id", "plaintiff_claims", "defendant_claims", "court_decision"])
def test_a_missing_key_is_refused(write: Write, key: str) -> None:
    source = write(line(tort_id="1") + "\n" + without(key))
    problem = told(lambda: tort.read_cases(source))
    assert heard(problem).startswith(f"f.jsonl, line 2: [missing-key] {key} … (found 'version, ")
    assert problem.endswith("; add it")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"tort_id": True}, "[bad-id] tort_id … (found 'true')"),
        ({"tort_id": None}, "[bad-id] tort_id … (found 'null')"),
        ({"tort_id": 0.0}, "[bad-id] tort_id … (found '0.0')"),
        ({"tort_id": " .txt"}, "[bad-id] tort_id … (found '\" .txt\"')"),
        ({"court_decision": "True"}, "[bad-label] court_decision … (found '\"True\"')"),
        ({"court_decision": 1}, "[bad-label] court_decision … (found '1')"),
        ({"court_decision": []}, "[bad-label] court_decision … (found '[]')"),
        ({"plaintiff_claims": None}, "[structure] plaintiff_claims … (found 'null')"),
        ({"defendant_claims": {"0": True}}, "[structure] defendant_claims … (found '{\"0\": true}')"),
        (
            {"defendant_claims": [[{"id": "0", "is_accepted": True}]]},
            '[structure] entry 1 of defendant_claims … (found \'[{"id": "0", "is_accepted": true}]\')',
        ),
        ({"defendant_claims": [{}]}, "[missing-key] entry 1 of defendant_claims … id … (found '')"),
        (
            {"plaintiff_claims": [{"id": "0", "is_accepted": True}, {"id": "1", "accepted": True}]},
            "[missing-key] entry 2 of plaintiff_claims … is_accepted … (found 'id, accepted')",
        ),
        (
            {"plaintiff_claims": [{"id": False, "is_accepted": True}]},
            "[bad-id] id … entry 1 of plaintiff_claims … (found 'false')",
        ),
        (
            {"plaintiff_claims": [{"id": "0", "is_accepted": "true"}]},
            "[bad-label] is_accepted … entry 1 of plaintiff_claims … (found '\"true\"')",
        ),
        (
            {"defendant_claims": [{"id": "0", "is_accepted": 0}]},
            "[bad-label] is_accepted … entry 1 of defendant_claims … (found '0')",
        ),
        (
            {"plaintiff_claims": [{"id": "0", "is_accepted": True}, {"id": 0, "is_accepted": True}]},
            "[duplicate] entry 2 of plaintiff_claims … (found '0')",
        ),
        ({"tort_id": "1 "}, "[duplicate] 1 … (found '1')"),
    ],
)
def test_wrong_values_are_refused(write: Write, changes: dict[str, Any], expected: str) -> None:
    source = write(line(tort_id="1") + "\r\n\r\n" + line(**changes))
    assert told(lambda: tort.read_cases(source)) == f"f.jsonl, line 3: {expected}"


# gold


def test_gold_has_labels_and_documents() -> None:
    cases = [case("0", True, "TF", "F"), case("1", False), case("2", False, "", "FT")]
    assert gold_of(cases) == Gold(
        qrels={"0": {"p0": 1, "p1": 0, "d0": 0}, "1": {}, "2": {"d0": 0, "d1": 1}},
        labels={"0": True, "1": False, "2": False},
        path="g.jsonl",
        format="tort",
    )


@pytest.mark.parametrize("claims", ["", "NN"])
def test_gold_for_tort_prediction_only(claims: str) -> None:
    found = gold_of([case("0", True, claims), case("1", False)])
    assert found == Gold(labels={"0": True, "1": False}, path="g.jsonl", format="tort")


def test_gold_for_rationale_extraction_only() -> None:
    found = gold_of([case("0", None, "T"), case("1", None, "", "F")])
    assert found == Gold(qrels={"0": {"p0": 1}, "1": {"d0": 0}}, path="g.jsonl", format="tort")


@pytest.mark.parametrize("cases", [[case("0", None, "N", "N"), case("1", None)], [case("0", None)]])
def test_test_data_are_not_gold(cases: list[TortCase]) -> None:
    assert told(lambda: gold_of(cases)) == ("g.jsonl: [missing-label]")


def test_gold_with_some_nulls_is_refused() -> None:
    cases = [case("0", True, "T", at=1), case("x", None, "T", at=3), case("2", None, "T", at=4)]
    assert told(lambda: gold_of(cases)) == (f"g.jsonl, line 3: [missing-label] 2 … 3 … instance 'x'…; {ALL_OR_NONE}")
    cases = [case("0", True, "T", "F", at=1), case("1", False, "F", "TN", at=3)]
    assert told(lambda: gold_of(cases)) == (
        f"g.jsonl, line 3: [missing-label] 1 … 5 … instance '1', defendant claim '1'…; {ALL_OR_NONE}"
    )


# decisions


def test_decisions_are_answers() -> None:
    found = decisions_of(put([case("1", True, "N"), case("0", False)], "univ1.jsonl"))
    assert found == Answers({"1": True, "0": False}, tag="univ1", path="univ1.jsonl", format="tort")
    assert list(found.labels) == ["1", "0"]


def test_a_null_decision_disqualifies() -> None:
    cases = [case("0", True, at=1), case("a\x1b[2J", None, at=2), case("2", None, at=3)]
    assert told(lambda: decisions_of(put(cases, "univ1.jsonl"))) == (
        f"univ1.jsonl, line 2: [missing-label] 2 … 3 … instance 'a\\x1b[2J'…; {DECISION_RULE}"
    )
    assert told(lambda: decisions_of(put([case("0", None)], "univ1.jsonl"))) == (
        f"univ1.jsonl, line 1: [missing-label] 1 … 1 … instance '0'…; {DECISION_RULE}"
    )


# claims


def test_accepted_claims_are_a_run_in_the_order_of_the_file() -> None:
    cases = [case("1", None, "FTT", "TF"), case("none", None, "F"), case("empty", None), case("0", None, "", "T")]
    run = claims_of(put(cases, "univ1.jsonl"))
    assert (run.tag, run.path, run.format, run.scored) == ("univ1", "univ1.jsonl", "claims", False)
    assert [(q, list(b.documents[first:last])) for b in run.blocks() for q, first, last in b.segments()] == [
        ("1", ["p1", "p2", "d0"]),
        ("none", []),
        ("empty", []),
        ("0", ["d0"]),
    ]


def test_a_null_claim_disqualifies() -> None:
    cases = [case("0", True, "TF", at=1), case("1", True, "TTN", "N", at=5)]
    assert told(lambda: claims_of(put(cases, "univ1.jsonl"))) == (
        f"univ1.jsonl, line 5: [missing-label] 2 … 6 … instance '1', plaintiff claim '2'…; {CLAIM_RULE}"
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
    fill(write(template()), {"0": False, "1": True, "2": True}, None, stream)
    assert decisions_of(write(stream.getvalue())).labels == {"0": False, "1": True}
    stream = io.StringIO()
    fill(write(template()), None, {"0": ["d0", "p1"], "1": []}, stream)
    (block,) = claims_of(write(stream.getvalue())).blocks()
    assert list(block.segments()) == [("0", 0, 2), ("1", 2, 2)]
    assert list(block.documents) == ["p1", "d0"]


def test_fill_leaves_everything_else_as_it_stands(write: Write) -> None:
    source = write(template())
    stream = io.StringIO()
    fill(source, None, {"0": ["p0"], "1": ["d7"]}, stream)
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
        ({"0": True}, None, f"line 3: [missing-key] '1'…; {DECISION_RULE}"),
        (None, {"1": ["d7"]}, f"line 1: [missing-key] '0'…; {CLAIM_RULE}"),
        (None, {"0": ["p0", "1"], "1": []}, "line 1: [unknown-document] '0'… (found '1')"),
    ],
)
def test_what_does_not_fit_the_template_is_refused(
    write: Write, decisions: dict[str, bool] | None, accepted: dict[str, list[str]] | None, expected: str
) -> None:
    source = write(template())
    assert told(lambda: fill(source, decisions, accepted, io.StringIO())) == f"f.jsonl, {expected}"


def test_a_template_that_cannot_be_read_is_refused(write: Write) -> None:
    source = write(line() + "\n" + line())
    assert told(lambda: fill(source, {"0": True}, None, io.StringIO())) == (
        "f.jsonl, line 2: [duplicate] 1 … (found '0')"
    )
