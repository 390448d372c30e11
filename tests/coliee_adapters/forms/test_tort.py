import io
import json
from pathlib import Path

import pytest
from asserting import begins, matches
from by_form import write
from reading import told

from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect
from coliee_adapters.forms.tort import SIDES, Claim, TortCase, read_cases, sniff
from coliee_adapters.records import Answers, Gold

pytestmark = pytest.mark.usefixtures("here")


def instance(**changes):
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


def line(**changes):
    return json.dumps(instance(**changes), ensure_ascii=False)


def case(id, decision, plaintiff="", defendant="", at=0):
    """A case whose claims are given as a letter each: T, F or N for null."""
    verdicts = {"T": True, "F": False, "N": None}
    sides = {"plaintiff": plaintiff, "defendant": defendant}
    claims = (Claim(side, str(n), verdicts[v]) for side, given in sides.items() for n, v in enumerate(given))
    return TortCase(id, tuple(claims), decision, at)


def put(cases, name):
    """A file of these cases, each in its line."""
    lines = []
    for one in cases:
        claims = {f"{side}_claims": [c._asdict() for c in one.claims if c.side == side] for side in SIDES}
        lines += [""] * (one.line - 1 - len(lines))
        lines.append(json.dumps({"tort_id": one.id, **claims, "court_decision": one.court_decision}))
    Path(name).write_text("\n".join(lines))
    return Source(name)


def gold_of(cases, name):
    return detect.read_gold(put(cases, name), form="tort")


def decisions_of(cases, name):
    return detect.read_run(put(cases, name), form="tort")


def claims_of(cases, name):
    return detect.read_run(put(cases, name), form="claims")


def fill(template, decisions, accepted, stream):
    write("tort", accepted or {}, stream, labels=decisions, answers=accepted is None, scored=False, template=template)


def test_tort_cases_are_recognised():
    tort = [
        b"\r\n \n" + line().encode() + b"\r\n", b'{"version": "1", "undisputed_facts": [], "plaintiff_claims" : [',
        line(undisputed_facts=[{"id": "0", "description": "事" * 40_000}]).encode()[: 1 << 16],
        *(json.dumps(value, indent=2).encode() for value in ([instance()], instance())),
    ]  # fmt: skip
    others = [
        b"", b'{"008447.txt": ["072495.txt"]}', b'["008447.txt", "tort_id"]', b'{"a": "he wrote \\"tort_id\\": 3"}',
        b'tort_id "tort_id": 0', b'0 Q0 "tort_id": 1 1 x', line().encode("utf-16"),
    ]  # fmt: skip
    assert [sniff(head) for head in (*tort, *others)] == [True] * len(tort) + [False] * len(others)


def test_cases_are_read_with_their_lines_and_without_descriptions(source):
    claims = [
        {"id": "a", "description": "", "is_accepted": None},
        {"id": 0, "is_accepted": False},
        {"id": " 00 ", "is_accepted": True},
        {"id": "1.txt", "is_accepted": True},
    ]
    further = '{"court_decision":false,"defendant_claims":[],"plaintiff_claims":[],"tort_id":1,"x":[[{"tort_id":3}]]}'
    second = line(tort_id="7", plaintiff_claims=[], defendant_claims=claims, court_decision=None)
    wanted = (None, False, True, True)
    assert read_cases(source(f"{line()}\n\n{second}\n{further}")) == [
        TortCase("0", (Claim("plaintiff", "0", True), Claim("defendant", "0", False)), True, 1),
        TortCase("7", tuple(Claim("defendant", *c) for c in zip(["a", "0", "00", "1"], wanted, strict=True)), None, 3),
        TortCase("1", (), False, 4),
    ]


def test_lines_are_counted_over_blocks(source):
    # together more than one block; a line ends with a newline and nothing else
    facts = [{"id": "0", "description": "x\u2028\u2029\x85\u3000\ufeff\U0001f600" + "x" * 90_000}]
    file = source("\n".join(line(tort_id=str(n), undisputed_facts=facts) + "\n" * (n % 3) for n in range(40)))
    stood = file.text().split("\n")
    cases = read_cases(file)
    assert [c.id for c in cases] == [str(n) for n in range(40)]
    assert all(json.loads(stood[c.line - 1])["tort_id"] == c.id for c in cases)


LINES = [
    *(
        (text, f": [structure] (found '{found}')")
        for text, found in (
            (json.dumps([instance()], indent=2), "["),
            (json.dumps(instance(), indent=2), "{"),
            ('[{"tort_id": "0"},\n{"tort_id": "1"}]', '[{"tort_id": "0"},'),
            ("[[]]", "[[]]"),
            ("null", "null"),
            ("3\n", "3"),
            ('"tort_id"', '"tort_id"'),
        )
    ),
    ('{"tort_id": "1", "court', ", column 18: [syntax] Unterminated string starting at … (found '\"court')"),
    ("{} ,", ", column 4: [syntax] (found ',')"),
    ("{} {}", ", column 4: [syntax] (found '{}')"),
    ("\u3000", ", column 1: [syntax] Expecting value … (found '\\u3000')"),
    ('{"tort_id": True}', ", column 13: [syntax] Expecting value … (found 'True}')"),
    (
        '{"tort_id": "0", "court_decision": true, "court_decision": false}',
        ", column 42: [duplicate] (found 'court_decision')",
    ),
    (line().encode("shift-jis"), r": [encoding] (found '\x8c\xb4\x8d\x90\x82\xcd\x93\x8a')"),
    *(
        (line().replace(key, f"no_{key}"), f": [missing-key] {key} … (found 'version, ")
        for key in ("tort_id", "plaintiff_claims", "defendant_claims", "court_decision")
    ),
]
ONE = {"id": "0", "is_accepted": True}
#: the key of claims, its value, and what is said of it
CLAIMS = [
    ("plaintiff_claims", None, "[structure] plaintiff_claims … (found 'null')"),
    ("defendant_claims", {"0": True}, "[structure] defendant_claims … (found '{\"0\": true}')"),
    ("defendant_claims", [[ONE]], f"[structure] entry 1 of defendant_claims … (found '{json.dumps([ONE])}')"),
    ("defendant_claims", [{}], "[missing-key] entry 1 of defendant_claims … id … (found '')"),
    ("plaintiff_claims", [ONE, {"id": 1, "x": 0}], "[missing-key] entry 2 of … … is_accepted … (found 'id, x')"),
    ("plaintiff_claims", [{**ONE, "id": False}], "[bad-id] id … entry 1 of plaintiff_claims … (found 'false')"),
    ("plaintiff_claims", [{**ONE, "is_accepted": "はい"}], "[bad-label] is_accepted … entry 1 … (found '\"はい\"')"),
    ("defendant_claims", [{**ONE, "is_accepted": 0}], "[bad-label] is_accepted … entry 1 of defendant_claims … '0')"),
    ("plaintiff_claims", [ONE, {**ONE, "id": 0}], "[duplicate] entry 2 of plaintiff_claims … (found '0')"),
]
VALUES = [
    *(({key: value}, expected) for key, value, expected in CLAIMS),
    *(
        ({"tort_id": value}, f"[bad-id] tort_id … (found '{json.dumps(value)}')")
        for value in (True, None, 0.0, " .txt")
    ),
    *(({"court_decision": of}, f"[bad-label] court_decision … (found '{json.dumps(of)}')") for of in ("True", 1, [])),
    ({"tort_id": "X "}, "[duplicate] 1 … (found 'X')"),
]


@pytest.mark.parametrize(
    ("text", "expected"), [*LINES, *((line(**changes), f": {expected}") for changes, expected in VALUES)]
)
def test_what_is_no_instance_is_refused_with_its_line(source, text, expected):
    raw = text if isinstance(text, bytes) else text.encode()
    for before, number in ((line(tort_id="X") + "\r\n", 2), *([("\n\n", 3)] if "duplicate" not in expected else [])):
        file = source(before.encode() + raw)
        said = told(read_cases, file)
        assert begins(said, f"f.txt, line {number}{expected}")


@pytest.mark.parametrize(
    ("cases", "qrels", "labels"),
    [
        (
            [case("0", True, "TF", "F"), case("1", False), case("2", False, "", "FT")],
            {"0": {"p0": 1, "p1": 0, "d0": 0}, "1": {}, "2": {"d0": 0, "d1": 1}},
            {"0": True, "1": False, "2": False},
        ),
        ([case("0", True), case("1", False)], None, {"0": True, "1": False}),
        ([case("0", True, "NN"), case("1", False)], None, {"0": True, "1": False}),
        ([case("0", None, "T"), case("1", None, "", "F")], {"0": {"p0": 1}, "1": {"d0": 0}}, None),
    ],
)
def test_a_gold_has_what_is_decided(cases, qrels, labels):
    assert gold_of(cases, "g.jsonl") == Gold(qrels, labels, path="g.jsonl", format="tort")


@pytest.mark.parametrize(
    ("read", "cases", "message"),
    [
        (gold_of, [case("0", None, "N", "N"), case("1", None)], ": [missing-label]"),
        (gold_of, [case("0", True, "T", at=1), case("x", None, "T", at=3), case("2", None, "T", at=4)],
         ", line 3: [missing-label] 2 … 3 … instance 'x'…"),
        (gold_of, [case("0", True, "T", "F", at=1), case("1", False, "F", "TN", at=3)],
         ", line 3: [missing-label] 1 … 5 … instance '1', defendant claim '1'…"),
        (decisions_of, [case("0", True, at=1), case("a\x1b[2J", None, at=2), case("2", None, at=3)],
         ", line 2: [missing-label] 2 … 3 … instance 'a\\x1b[2J'…"),
        (claims_of, [case("0", True, "TF", at=1), case("1", True, "TTN", "N", at=5)],
         ", line 5: [missing-label] 2 … 6 … instance '1', plaintiff claim '2'…"),
    ],
)  # fmt: skip
def test_what_is_not_decided(read, cases, message):
    assert matches(told(read, cases, "g.jsonl"), f"g.jsonl{message}")


def test_decisions_are_answers_and_accepted_claims_a_run_in_the_order_of_the_file():
    answers = decisions_of([case("1", True, "N"), case("0", False)], "univ1.jsonl")
    assert answers == Answers({"1": True, "0": False}, tag="univ1", path="univ1.jsonl", format="tort")
    assert list(answers.labels) == ["1", "0"]
    cases = [case("1", None, "FTT", "TF"), case("none", None, "F"), case("empty", None), case("0", None, "", "T")]
    run = claims_of(cases, "univ1.jsonl")
    assert (run.tag, run.path, run.format, run.scored) == ("univ1", "univ1.jsonl", "claims", False)
    assert [(q, list(b.documents[first:last])) for b in run.blocks() for q, first, last in b.segments()] == [
        ("1", ["p1", "p2", "d0"]),
        ("none", []),
        ("empty", []),
        ("0", ["d0"]),
    ]


def template():
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


def test_a_filled_template_reads_as_what_was_given_and_the_rest_stays(source):
    stream = io.StringIO()
    fill(source(template()), None, {"0": ["p0"], "1": ["d7"]}, stream)
    first, second = template().replace("\n\n", "\n").split("\n")
    null, true, false = (f'"is_accepted": {value}' for value in ("null", "true", "false"))
    first = first.replace(null, true, 1).replace(null, false)
    assert stream.getvalue() == f"{first}\n{second.replace(null, true)}\n"
    stream = io.StringIO()
    fill(source(template()), {"0": False, "1": True, "2": True}, None, stream)
    decided = [one._replace(claims=()) for one in read_cases(source(stream.getvalue()))]
    assert decisions_of(decided, "s").labels == {"0": False, "1": True}
    stream = io.StringIO()
    fill(source(template()), None, {"0": {"d0", "p1"}, "1": ()}, stream)
    (block,) = claims_of(read_cases(source(stream.getvalue())), "s").blocks()
    assert list(block.segments()) == [("0", 0, 2), ("1", 2, 2)]
    assert list(block.documents) == ["p1", "d0"]


@pytest.mark.parametrize(
    ("decisions", "accepted", "expected"),
    [
        ({"0": True}, None, "line 3: [missing-key] '1'…"),
        (None, {"1": ["d7"]}, "line 1: [missing-key] '0'…"),
        (None, {"0": ["p0", "1"], "1": []}, "line 1: [unknown-document] '0'… (found '1')"),
    ],
)
def test_what_does_not_fit_the_template_is_refused(source, decisions, accepted, expected):
    file = source(template())
    assert matches(told(fill, file, decisions, accepted, io.StringIO()), f"f.txt, {expected}")
    file = source(line() + "\n" + line())
    assert matches(told(fill, file, {"0": True}, None, io.StringIO()), "f.txt, line 2: [duplicate] 1 … (found '0')")
