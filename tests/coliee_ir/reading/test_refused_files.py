"""What files hold that evaluate refuses in a sentence, with file, line and remedy; and what it reads nevertheless."""

import json
from pathlib import Path

import pytest
from asserting import done, failing, matches, mentions

GOLD = {"000001": ["000018", "000203"], "000002": ["000099"], "000003": ["000007"]}


CASES = json.dumps(GOLD)
PAIR = '<pair id="R07-{n}-O" label="Y"><article>96</article><t2>x</t2></pair>'
XML = f"<dataset>\n{PAIR.format(n='01')}\n{PAIR.format(n='02')}\n</dataset>\n"
TORT = (
    '{{"tort_id": "{n}", "plaintiff_claims": [{{"id": "0", "is_accepted": {claim}}}], "defendant_claims": [], '
    '"court_decision": {decision}}}\n'
)
TORTS = TORT.format(n=0, claim="true", decision="true") + TORT.format(n=1, claim="false", decision="false")
COLUMNS = "000001 000018 T\n"
SIX = "R07-01-O Q0 96 1 0.5 T\n"
LABELS = "R07-01-O Y T\n"

#: gold, run, options, and what is said: file, line if any, what stood there, what to do
REFUSED = {
    "two columns": (CASES, COLUMNS + "000001 000203\n", [],
        "run, line 2: 2 columns (found '000001 000203'); expected 3 columns: QUERY DOCUMENT TAG …"),
    "five columns": (XML, SIX + "R07-01-O Q0 97 2 0.4\n", ["--edition", "2025"],
        "run, line 2: 5 columns (found 'R07-01-O Q0 97 2 0.4'); expected 6 columns: …"),
    "probabilities for ranks": (CASES, "query_id,doc_id,p\n000001,000018,0.5\n", ["--columns", "rank=p"],
        "run, line 2: [bad-score] … (found '0.5'); …score=NAME"),
    "not UTF-8": (CASES, COLUMNS.encode() + "000001 000203 résumé\n".encode("latin-1"), [],
        "run, line 2: [encoding] (found '\\xe9sum\\xe9\\n')"),
    "gold not UTF-8": (b'{\n"000001": ["\xff"]}', COLUMNS, [], "gold, line 2: [encoding] (found '\\xff\"]}'"),
    "broken JSON run": (CASES, '{\n"000001": ["000018",\n}', [],
        "run, line 3, column 1: [syntax] Expecting value … (found '}')"),
    "neither yes nor no": (XML, LABELS + "R07-02-O maybe T\n", [],
        "run: [bad-label] 1 … 2 … is … (found 'line 2: maybe'); "),
    "two answers": (XML, LABELS + "R07-01-O N T\n", [], "run, line 2: [conflicting] line 1 … (found 'R07-01-O N')"),
    "a gold label that is none": (XML.replace('"Y"', '"Q"', 1), LABELS, [], "gold, line 2: [bad-label] (found 'Q')"),
    "a null claim": (TORTS, TORTS.replace('"is_accepted": true', '"is_accepted": null'), ["--task", "rationale"],
        "run, line 1: [missing-label] 1 … 2 … instance '0', plaintiff claim '0'…"),
    "a test set for gold": ('["000001", "000002"]', COLUMNS, [], "gold: [missing-label]"),
    "an empty gold": (" \n\t\n", COLUMNS, [], "gold: [empty]"),
    "no relevance": ("q1 0 d1 1\nq1 0 d2 1.5\n", "q1 Q0 d1 1 1 T\n", [],
        "gold, line 2: [bad-relevance] (found '1.5'); write 0, 1, 2, …"),
    "no gold at all": ("hello\n", COLUMNS, [], "gold, line 1: unrecognised gold format (found 'hello'); "),
    "lost zeros": (CASES, "1 18 T\n2 99 T\n", [], "run: [mismatch] '1', '2'… gold … '000001', '000002', '000003'… 6 …"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_a_sentence(name, here, call):
    gold, run, options, said = REFUSED[name]
    for path, content in (("gold", gold), ("run", run)):
        Path(path).write_bytes(content.encode() if isinstance(content, str) else content)
    err = failing(call, "evaluate", "gold", "run", *options)
    assert err.startswith("coliee-ir: ")
    assert mentions(err, said)
    assert err.count("\n") == 1


def test_untidy_files_are_read_and_comments_counted(here, call):
    Path("gold").write_bytes(b"\xef\xbb\xbf" + CASES.encode())
    Path("[TEAM] Task 1 run0.txt").write_bytes(
        b"\xef\xbb\xbf/* a sample\r\n of a run */\r\n# by us\r\n\r\n"
        b"000001.txt\t000018.txt\tT  \r\n  000002   000099 T\r\n000003 000007.txt T"
    )
    out, err = done(call, "evaluate", "gold", "[TEAM] Task 1 run0.txt", "-f", "csv")
    assert list(map(float, out.splitlines()[-1].split(",")[1:])) == [2 * 3 / 7, 1, 3 / 4]
    assert matches(
        err.splitlines()[3:], ["T: [comment] 3 … (first: line 1: /* a sample; line 2: of a run */; line 3: # by us)"]
    )
