import io
import json

import pytest
from asserting import begins, matches
from by_form import ranked, readers, write
from reading import told

from coliee_adapters.forms.tort import SIDES, Claim, TortCase, read_cases, sniff
from coliee_adapters.records import Answers, Gold

read_gold, read_decisions = readers("tort", "tort")
_, read_claims = readers("tort", "claims")


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


def case(name, decision, *sides):
    """The line of a case whose claims are given by side as a letter each: T, F or N for null."""
    verdicts = {"T": True, "F": False, "N": None}
    claims = {f"{side}_claims": [] for side in SIDES}
    for side, given in zip(claims, sides, strict=False):
        claims[side] = [{"id": str(n), "is_accepted": verdicts[letter]} for n, letter in enumerate(given)]
    return json.dumps({"tort_id": name, **claims, "court_decision": decision})


def test_tort_cases_are_recognised():
    tort = [
        b"\r\n \n" + line().encode() + b"\r\n", b'{"version": "1", "undisputed_facts": [], "plaintiff_claims" : [',
        line(undisputed_facts=[{"id": "0", "description": "事" * 40_000}]).encode()[: 1 << 16],
        *(json.dumps(value, indent=2).encode() for value in ([instance()], instance())),
    ]  # fmt: skip
    others = [b"", b'["008447.txt", "tort_id"]', b'{"a": "he wrote \\"tort_id\\": 3"}', b'0 Q0 "tort_id": 1 1 x']
    assert [head for head in (*tort, *others, line().encode("utf-16")) if sniff(head)] == tort


def test_cases_are_read_with_their_lines_and_without_descriptions(source):
    claims = [
        {"id": "a", "description": "", "is_accepted": None}, {"id": 0, "is_accepted": False},
        {"id": " 00 ", "is_accepted": True}, {"id": "1.txt", "is_accepted": True},
    ]  # fmt: skip
    further = '{"court_decision":false,"defendant_claims":[],"plaintiff_claims":[],"tort_id":1,"x":[[{"tort_id":3}]]}'
    second = line(tort_id="7", plaintiff_claims=[], defendant_claims=claims, court_decision=None)
    wanted = {"a": None, "0": False, "00": True, "1": True}
    assert read_cases(source(f"{line()}\n\n{second}\n{further}")) == [
        TortCase("0", (Claim("plaintiff", "0", True), Claim("defendant", "0", False)), True, 1),
        TortCase("7", tuple(Claim("defendant", *claim) for claim in wanted.items()), None, 3),
        TortCase("1", (), False, 4),
    ]
    # more than one block; a line ends with a newline and nothing else
    facts = [{"id": "0", "description": "x\u2028\u2029\x85\u3000\ufeff\U0001f600" + "x" * 90_000}]
    file = source("\n".join(line(tort_id=str(n), undisputed_facts=facts) + "\n" * (n % 3) for n in range(40)))
    stood, cases = file.text().split("\n"), read_cases(file)
    assert [c.id for c in cases] == [str(n) for n in range(40)]
    assert all(json.loads(stood[c.line - 1])["tort_id"] == c.id for c in cases)


KEYS = ("tort_id", "plaintiff_claims", "defendant_claims", "court_decision")
LINES = [
    *((json.dumps(held, indent=2), f": [structure] (found '{found}')") for held, found in (
        ([instance()], "["), (instance(), "{"), (None, "null"), ("tort_id", '"tort_id"'))),
    ('[{"tort_id": "0"},\n{"tort_id": "1"}]', ": [structure] (found '[{\"tort_id\": \"0\"},')"),
    ('{"tort_id": "1", "court', ", column 18: [syntax] Unterminated string starting at … (found '\"court')"),
    ("\u3000", ", column 1: [syntax] Expecting value … (found '\\u3000')"),
    ('{"tort_id": "0", "court_decision": true, "court_decision": false}',
     ", column 42: [duplicate] (found 'court_decision')"),
    (line().encode("shift-jis"), r": [encoding] (found '\x8c\xb4\x8d\x90\x82\xcd\x93\x8a')"),
    *((line().replace(key, f"no_{key}"), f": [missing-key] {key} … (found 'version, ") for key in KEYS),
]  # fmt: skip
ONE = {"id": "0", "is_accepted": True}
#: a key, its value, and what is said of it
VALUES = [
    ("defendant_claims", {"0": True}, "[structure] defendant_claims … (found '{\"0\": true}')"),
    ("defendant_claims", [[ONE]], f"[structure] entry 1 of defendant_claims … (found '{json.dumps([ONE])}')"),
    ("defendant_claims", [{}], "[missing-key] entry 1 of defendant_claims … id … (found '')"),
    ("plaintiff_claims", [ONE, {"id": 1, "x": 0}], "[missing-key] entry 2 of … … is_accepted … (found 'id, x')"),
    ("plaintiff_claims", [{**ONE, "id": False}], "[bad-id] id … entry 1 of plaintiff_claims … (found 'false')"),
    ("plaintiff_claims", [{**ONE, "is_accepted": "はい"}], "[bad-label] is_accepted … entry 1 … (found '\"はい\"')"),
    ("plaintiff_claims", [ONE, {**ONE, "id": 0}], "[duplicate] entry 2 of plaintiff_claims … (found '0')"),
    *(("tort_id", value, f"[bad-id] tort_id … (found '{json.dumps(value)}')") for value in (True, 0.0, " .txt")),
    *(("court_decision", of, f"[bad-label] court_decision … (found '{json.dumps(of)}')") for of in ("True", 1)),
    ("tort_id", "X ", "[duplicate] 1 … (found 'X')"),
]


@pytest.mark.parametrize(
    ("text", "expected"), [*LINES, *((line(**{key: value}), f": {said}") for key, value, said in VALUES)]
)
def test_what_is_no_instance_is_refused_with_its_line(source, text, expected):
    raw = text if isinstance(text, bytes) else text.encode()
    for before, number in ((line(tort_id="X") + "\r\n", 2), *([("\n\n", 3)] if "duplicate" not in expected else [])):
        assert begins(told(read_cases, source(before.encode() + raw)), f"f.txt, line {number}{expected}")


def test_what_is_decided_is_a_gold_and_what_is_not_is_refused(source):
    for cases, qrels, labels in (
        ([case("0", True, "TF", "F"), case("1", False), case("2", False, "", "FT")],
         {"0": {"p0": 1, "p1": 0, "d0": 0}, "1": {}, "2": {"d0": 0, "d1": 1}}, {"0": True, "1": False, "2": False}),
        ([case("0", True, "NN"), case("1", False)], None, {"0": True, "1": False}),
        ([case("0", None, "T"), case("1", None, "", "F")], {"0": {"p0": 1}, "1": {"d0": 0}}, None),
    ):  # fmt: skip
        assert read_gold(source("\n".join(cases))) == Gold(qrels, labels, path="f.txt", format="tort")
    for read, cases, message in (
        (read_gold, [case("0", None, "N", "N"), case("1", None)], ": [missing-label]"),
        (read_gold, [case("0", True, "T"), "", case("x", None, "T"), case("2", None, "T")],
         ", line 3: [missing-label] 2 … 3 … instance 'x'…"),
        (read_gold, [case("0", True, "T", "F"), "", case("1", False, "F", "TN")],
         ", line 3: [missing-label] 1 … 5 … instance '1', defendant claim '1'…"),
        (read_decisions, [case("0", True), case("a\x1b[2J", None), case("2", None)],
         ", line 2: [missing-label] 2 … 3 … instance 'a\\x1b[2J'…"),
        (read_claims, [case("0", True, "TF"), "", "", "", case("1", True, "TTN", "N")],
         ", line 5: [missing-label] 2 … 6 … instance '1', plaintiff claim '2'…"),
    ):  # fmt: skip
        assert matches(told(read, source("\n".join(cases))), f"f.txt{message}")


def test_decisions_are_answers_and_accepted_claims_a_run_in_the_order_of_the_file(source):
    answers = read_decisions(source("\n".join([case("1", True, "N"), case("0", False)]), "univ1.jsonl"))
    assert answers == Answers({"1": True, "0": False}, tag="univ1", path="univ1.jsonl", format="tort")
    assert list(answers.labels) == ["1", "0"]
    cases = [case("1", None, "FTT", "TF"), case("none", None, "F"), case("empty", None), case("0", None, "", "T")]
    run = read_claims(source("\n".join(cases), "univ1.jsonl"))
    assert (run.tag, run.path, run.format, run.scored) == ("univ1", "univ1.jsonl", "claims", False)
    claims = {query: [document for document, _ in found] for query, found in ranked(run).items()}
    assert claims == {"1": ["p1", "p2", "d0"], "none": [], "empty": [], "0": ["d0"]}
    assert list(claims) == ["1", "none", "empty", "0"]


OPEN = {"description": "請求\u2028", "is_accepted": None}
#: two instances as the organisers give them, with null for what is asked
TEMPLATE = [
    line(
        plaintiff_claims=[{"id": n, **OPEN} for n in "01"], defendant_claims=[{"id": "0", **OPEN}], court_decision=None
    ),
    line(tort_id=1, plaintiff_claims=[], defendant_claims=[{"id": 7, **OPEN}], court_decision=None),
]


def filled(template, decisions, accepted):
    stream = io.StringIO()
    form = {"labels": decisions, "answers": accepted is None, "scored": False, "template": template}
    write("tort", accepted or {}, stream, **form)
    return stream.getvalue()


def test_a_filled_template_reads_as_what_was_given_and_the_rest_stays_and_what_does_not_fit_is_refused(source):
    null, true, false = (f'"is_accepted": {value}' for value in ("null", "true", "false"))
    first, second = TEMPLATE
    expected = f"{first.replace(null, true, 1).replace(null, false)}\n{second.replace(null, true)}\n"
    assert filled(source("\n\n".join(TEMPLATE)), None, {"0": ["p0"], "1": ["d7"]}) == expected
    decided = filled(source("\n\n".join(TEMPLATE)), {"0": False, "1": True, "2": True}, None)
    assert decided == "".join(
        text.replace('"court_decision": null', f'"court_decision": {value}') + "\n"
        for text, value in zip(TEMPLATE, ("false", "true"), strict=True)
    )
    claims = read_claims(source(filled(source("\n".join(TEMPLATE)), None, {"0": {"d0", "p1"}, "1": ()})))
    assert ranked(claims) == {"0": [("p1", None), ("d0", None)], "1": []}
    for lines, decisions, accepted, expected in (
        (TEMPLATE, {"0": True}, None, "line 2: [missing-key] '1'…"),
        (TEMPLATE, None, {"1": ["d7"]}, "line 1: [missing-key] '0'…"),
        (TEMPLATE, None, {"0": ["p0", "1"], "1": []}, "line 1: [unknown-document] '0'… (found '1')"),
        ([line(), line()], {"0": True}, None, "line 2: [duplicate] 1 … (found '0')"),
    ):
        assert matches(told(filled, source("\n".join(lines)), decisions, accepted), f"f.txt, {expected}")
