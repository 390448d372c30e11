from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from asserting import heard
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import statute
from coliee_adapters.records import Answers, Gold
from coliee_adapters.remarks import Remarks

Write = Callable[[str | bytes], Source]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def write(content: str | bytes) -> Source:
        Path("f.txt").write_bytes(content if isinstance(content, bytes) else content.encode())
        return Source("f.txt")

    return write


def refusal(read: Callable[[Source], object], source: Source) -> str:
    with pytest.raises(InputError) as error:
        read(source)
    return heard(error.value)


def noted(**kinds: list[str] | int) -> Remarks:
    """Remarks by kind (``_`` for ``-``): their examples, or only their count."""
    remarks = Remarks()
    for kind, examples in kinds.items():
        for example in examples if isinstance(examples, list) else [""] * examples:
            remarks.add(kind.replace("_", "-"), example)
    return remarks


def dataset(*pairs: str) -> str:
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<dataset>", *pairs, "</dataset>"])


def heads(write: Write, text: str) -> list[str]:
    """The articles of one pair whose ``<t1>`` holds the text."""
    gold = statute.read_gold(write(f'<dataset><pair id="q" label="Y"><t1>{text}</t1></pair></dataset>'))
    assert gold.qrels is not None
    assert list(gold.qrels) == ["q"]
    return list(gold.qrels["q"])


# the four generations


def test_first_generation_article_elements_with_ids(write: Write) -> None:
    gold = statute.read_gold(
        write(
            dataset(
                '<pair id="H18-1-2" label="Y"><t1><article id="566"/>',
                '<article id="567"/></t1><t2>A sentence.</t2></pair>',
                "<pair label='N' id='H18-1-3'><t1><article id='398-20'></article></t1><t2>Article 5 If</t2></pair>",
            )
        )
    )
    assert gold == Gold(
        qrels={"H18-1-2": {"566": 1, "567": 1}, "H18-1-3": {"398-20": 1}},
        labels={"H18-1-2": True, "H18-1-3": False},
        path="f.txt",
        format="statute-xml",
    )
    assert gold.queries == ("H18-1-2", "H18-1-3")


def test_second_generation_text_in_english(write: Write) -> None:
    gold = statute.read_gold(
        write(
            dataset(
                '<pair id="R05-01-A" label="N"><t1>',
                "(Offers)",
                "Article 537(1)If one party promises, it is bound under",
                "the provisions of Article 5, and Article 6 (1).",
                "(2) Article 7 applies.",
                "  Article 398-2 (1) A right may be created.",
                "Article 398-20",
                "The principal is fixed.",
                "</t1><t2>Article 99 Nothing.</t2></pair>",
            )
        )
    )
    assert gold.qrels == {"R05-01-A": {"537": 1, "398-2": 1, "398-20": 1}}
    assert gold.labels == {"R05-01-A": False}
    assert not gold.remarks


def test_second_generation_text_in_japanese(write: Write) -> None:
    gold = statute.read_gold(
        write(
            dataset(
                '<pair id="R01-1-A" label="Y"><t1>（担保）',
                "第三百九十八条の二十　元本は、第五条及び第六条の規定により確定する。",
                "２　第七条　は別とする。",
                "第五百六十六条",
                "</t1><t2>第九条　なし。</t2></pair>",
                '<pair id="R1-18-U" label="N"><t1>第５条　あり。</t1></pair>',
            )
        )
    )
    assert gold.qrels == {"R01-1-A": {"398-20": 1, "566": 1}, "R1-18-U": {"5": 1}}
    assert not gold.remarks


def test_third_generation_articles_beside_the_question(write: Write) -> None:
    gold = statute.read_gold(
        write(
            dataset(
                '<pair id="R07-01-O" label="Y"><article>11</article><article> ７ </article><t2>A.</t2></pair>',
                '<pair id="R07-02-O" label="N"><t2>Article 5 B.</t2></pair>',
                '<pair id="R07-03-O" label="N"><article/><t2>C.</t2></pair>',
            )
        )
    )
    assert gold.qrels == {"R07-01-O": {"11": 1, "7": 1}, "R07-02-O": {}, "R07-03-O": {}}
    assert not gold.remarks


def test_fourth_generation_marks_unknown_numbers(write: Write) -> None:
    gold = statute.read_gold(
        write(
            dataset(
                '<pair id="R07-01-O" label="Y"><t1>[MISSING ARTICLE 11]',
                "第十二条　あり。",
                "[MISSING ARTICLE ３９８-２]</t1><t2>A.</t2></pair>",
            )
        )
    )
    assert gold.qrels == {"R07-01-O": {"11": 1, "12": 1, "398-2": 1}}
    assert gold.remarks == noted(missing_article=["line 3: R07-01-O 11", "line 3: R07-01-O 398-2"])


# heads


@pytest.mark.parametrize(
    ("line", "article"),
    [
        ("Article 566", "566"),
        ("\t Article 566 A seller", "566"),
        ("Article 32 (1) If", "32"),
        ("Article 537(1)If", "537"),
        ("Article 566If", "566"),
        ("Article 398-20", "398-20"),
        ("Article 398-2 (1)", "398-2"),
        ("Article 398-2-3 If", "398-2-3"),
        ("Article\xa0９６（１）\u3000If", "96"),
        ("Article 398－2 If", "398-2"),
        ("Article 32 (1)…", "32"),
        ("Article 5 “Person” means", "5"),
        ("第三百九十八条の二十　元本", "398-20"),
        ("　第五百六十六条", "566"),
        ("第五百六十六条 売主", "566"),
        ("第398条の20\t元本", "398-20"),
        ("第３９８条", "398"),
        ("第三九八条の二〇　元本", "398-20"),
        ("第三百九十八条の二の三　元本", "398-2-3"),
        ("第百二十一条の二　無効", "121-2"),
        ("第千五十条　親族", "1050"),
        ("第九十五条（錯誤）　意思表示は", "95"),
        ("第九十五条(錯誤)", "95"),
    ],
)
def test_a_head_at_the_start_of_a_line(write: Write, line: str, article: str) -> None:
    assert heads(write, line) == [article]
    assert heads(write, f"(Caption)\n{line}\nmore") == [article]
    assert heads(write, f"Under the said. {line}") == []


@pytest.mark.parametrize(
    "line",
    [
        "Article 5 applies mutatis mutandis",
        "Article 55 applies",
        "Article 5, paragraph (1)",
        "Article 398-20, paragraph (1)",
        "Article 32 and 33",
        "Article 32 (1) and (2)",
        "Article 32 (1), the person",
        "Article 5; and",
        "Article 5.",
        "Article 5) applies",
        "Article 5's provisions",
        "Article 5–7 Deleted",
        "Article 398‑20 If",
        "Article 398- 20 If",
        "Article 38 through Article 84 Deleted",
        "Articles 5 and 6",
        "Article V If",
        "article 5 If",
        "Particle 5 If",
        "第五条の規定",
        "第五条第一項",
        "第五条及び第六条",
        "第五条に規定する",
        "第五条、第六条",
        "第五条の二の規定",
        "第五条の二第一項",
        "第三条の一部",
        "第五条（第二項を除く。）の規定",
        "第三十八条から第八十四条まで　削除",
        "第一章　総則",
        "第条　なし",
        "五条　なし",
        "「第五条　あり」",
        "第" + "一" * 5000 + "条　あり",
    ],
)
def test_a_reference_is_no_head_even_where_a_line_starts(write: Write, line: str) -> None:
    assert heads(write, line) == []
    assert heads(write, f"Article 96 A person, pursuant to\n{line}") == ["96"]


DIGITS = " 一二三四五六七八九"


def kanji(number: int) -> str:
    """1..9999 as laws write it, without 一 before 十, 百 and 千: 1111 is 千百十一."""
    places = zip(f"{number:04}", "千百十 ", strict=True)
    return "".join(
        ("" if d == "1" and unit != " " else DIGITS[int(d)]) + unit for d, unit in places if d != "0"
    ).strip()


@given(st.integers(min_value=1, max_value=9999))
def test_kanji_numerals_round_trip(number: int) -> None:
    positional = "".join("〇一二三四五六七八九"[int(digit)] for digit in str(number))
    full_width = "".join("０１２３４５６７８９"[int(digit)] for digit in str(number))
    for numeral in (kanji(number), positional, full_width, str(number)):
        assert statute._number(numeral) == number


@pytest.mark.parametrize(
    ("numeral", "number"), [("十", 10), ("一千一百一十一", 1111), ("二〇", 20), ("百一", 101), ("零", 0)]
)
def test_kanji_numerals(numeral: str, number: int) -> None:
    assert statute._number(numeral) == number


# what gold tolerates


def test_text_without_a_head_is_told(write: Write) -> None:
    gold = statute.read_gold(
        write(
            dataset(
                '<pair id="q1" label="Y"><t1>(Offers) Article 5 If one party promises. Article 6 If not.</t1></pair>',
                '<pair id="q2" label="Y"><t1> \n </t1></pair>',
                '<pair id="q3" label="Y"><t1/></pair>',
            )
        )
    )
    assert gold.qrels == {"q1": {}, "q2": {}, "q3": {}}
    assert gold.remarks == noted(no_head=["q1"])


def test_an_article_named_twice_counts_once(write: Write) -> None:
    gold = statute.read_gold(
        write(
            dataset(
                "<pair id='q1' label='Y'><article>5</article><article>6</article><article>5</article></pair>",
                "<pair id='q2' label='Y'><t1>Article 7 (1) If",
                "Article 7 (2) If</t1></pair>",
            )
        )
    )
    assert gold.qrels == {"q1": {"5": 1, "6": 1}, "q2": {"7": 1}}
    assert gold.remarks == noted(gold_duplicate=["line 3: q1 5", "line 4: q2 7"])


def test_article_elements_decide_over_text(write: Write) -> None:
    gold = statute.read_gold(
        write(dataset("<pair id='q' label='Y'><t1><article id='5'>\nArticle 6 If</article>\nArticle 7 If</t1></pair>"))
    )
    assert gold.qrels == {"q": {"5": 1}}
    assert not gold.remarks


@pytest.mark.parametrize(
    ("word", "label"), [("y", True), ("Yes", True), ("TRUE", True), ("n", False), ("no", False), ("False", False)]
)
def test_other_words_for_labels(write: Write, word: str, label: bool) -> None:
    gold = statute.read_gold(write(dataset(f"<pair id='q1' label='{word}'/>", "<pair id='q2' label=' N '/>")))
    assert gold.labels == {"q1": label, "q2": False}
    assert gold.remarks == noted(label_form=[f"line 3: {word}"])
    answers = statute.read_answers(write(f"q1 {word} T\n"))
    assert answers.labels == {"q1": label}
    assert answers.remarks == noted(label_form=[f"line 1: {word}"])


def test_labels_without_articles(write: Write) -> None:
    gold = statute.read_gold(write(dataset("<pair id='q' label='Y'><t2>Article 5 If</t2></pair>")))
    assert (gold.qrels, gold.labels) == (None, {"q": True})


@pytest.mark.parametrize("label", ["", "label=''", "label=' '"])
def test_articles_without_labels(write: Write, label: str) -> None:
    gold = statute.read_gold(
        write(dataset(f"<pair id='q1' {label}><t1>Article 5 If</t1></pair>", f"<pair id='q2' {label}/>"))
    )
    assert (gold.qrels, gold.labels) == ({"q1": {"5": 1}, "q2": {}}, None)


def test_ids_are_kept_but_for_their_ends(write: Write) -> None:
    gold = statute.read_gold(write(dataset("<pair id=' R1-18-U.txt ' label='Y'/>", "<pair id='R01-18-U' label='Y'/>")))
    assert gold.labels == {"R1-18-U": True, "R01-18-U": True}


def test_byte_order_mark_crlf_and_a_wrong_encoding_declared(write: Write) -> None:
    prolog = b'\xef\xbb\xbf<?xml version="1.0" encoding="Shift_JIS"?>\r\n'
    pair = '<dataset><pair id="q" label="Y"><t1>\r\n第五条\r\n</t1></pair></dataset>'
    source = write(prolog + pair.encode())
    assert statute.sniff_gold(source.head()) == "statute-xml"
    assert statute.read_gold(source).qrels == {"q": {"5": 1}}


# what gold refuses


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (
            ["<pair id='q1' label='Y'/>", "<pair id='q2'/>"],
            "f.txt, line 4: [missing-label] (found 'q2')",
        ),
        (
            ["<pair id='q1'><article>5</article></pair>", "<pair id='q2' label='N'/>"],
            "f.txt, line 3: [missing-label] (found 'q1')",
        ),
        (
            ["<pair id='q1' label='Y'/>", "", "<pair id='q1.txt' label='Y'/>"],
            "f.txt, line 5: [duplicate] 3 … (found 'q1')",
        ),
        (["<pair label='Y'/>"], "f.txt, line 3: [missing-id]"),
        (["<pair id=' ' label='Y'/>"], "f.txt, line 3: [missing-id]"),
        (
            ["<pair id='q1' label='U'/>"],
            "f.txt, line 3: [bad-label] (found 'U')",
        ),
        (
            ["<pair id='q1' label='Y/N'/>"],
            "f.txt, line 3: [bad-label] (found 'Y/N')",
        ),
        (
            ["<pair id='q1' label='Ｙ'/>"],
            "f.txt, line 3: [bad-label] (found 'Ｙ')",
        ),
        (
            ["<pair id='q1' label='Y'>", "<article>5, 6</article></pair>"],
            "f.txt, line 4: [bad-article] (found '5, 6')",
        ),
        (
            ["<pair id='q1' label='Y'>", "<t1><article id='398の2'/></t1></pair>"],
            "f.txt, line 4: [bad-article] (found '398の2')",
        ),
        (
            ["<pair id='q1' label='Y'>", "<article>Article 5</article></pair>"],
            "f.txt, line 4: [bad-article] (found 'Article 5')",
        ),
        (
            ["<pair id='q1' label='Y'>", "<t1>[MISSING ARTICLE ]</t1></pair>"],
            "f.txt, line 4: [bad-article] (found '')",
        ),
        (
            ["<instance id='001'/>"],
            "f.txt, line 2: [empty] (found '<dataset>')",
        ),
        (
            ["<pair id='q1'><t2>Article 5 If</t2></pair>", "<pair id='q2'><t1> </t1></pair>"],
            "f.txt: [missing-label]",
        ),
        (
            ["<pair id='q1' label='Y'>"],
            "f.txt, line 4, column 3: [syntax] mismatched tag …",
        ),
    ],
)
def test_what_gold_refuses(write: Write, pairs: list[str], message: str) -> None:
    assert refusal(statute.read_gold, write(dataset(*pairs))) == message


# answers


def test_answers(write: Write) -> None:
    source = write("H18-1-2 Y univABC\nH18-1-3 N univABC\n")
    assert statute.read_answers(source) == Answers(
        labels={"H18-1-2": True, "H18-1-3": False}, tag="univABC", path="f.txt", format="labels"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfq1 Y T\nq2 N T\n",
        b"q1 Y T\r\nq2 N T\r\n",
        b"q1 Y T\rq2 N T",
        b"q1,Y,T\nq2; N;T\n",
        b"q1\tY\tT\nq2 \t N\v\fT",
        b"  q1   Y  T  \n\n \t\nq2 N T  \n\n",
        b"\xef\xbb\xbf\xef\xbb\xbfq1 Y T\n\xef\xbb\xbfq2 N T\n",
        b"q1.txt Y T\nq2 N T\n",
    ],
)
def test_what_answers_tolerate_without_a_word(write: Write, content: bytes) -> None:
    answers = statute.read_answers(write(content))
    assert (answers.labels, answers.tag) == ({"q1": True, "q2": False}, "T")
    assert not answers.remarks


@pytest.mark.parametrize(
    ("content", "n"),
    [
        (b"# q0 Y T\nq1 Y T\n/* q3 N T */\nq2 N T", 2),
        (b"/* q0 Y U\n\nq3 N T\n*/q1 Y T\nq2 N T\n  # end", 3),
    ],
)
def test_comments_among_labels_are_counted(write: Write, content: bytes, n: int) -> None:
    answers, gold = statute.read_answers(write(content)), statute.read_label_gold(write(content))
    assert answers.labels == gold.labels == {"q1": True, "q2": False}
    assert (answers.remarks.count("comment"), gold.remarks.count("gold-comment")) == (n, n)


def test_answers_without_any_tag_are_named_after_their_file(write: Write) -> None:
    answers = statute.read_answers(write("q1 Y\nq2 N\n"))
    assert answers.tag == "f"
    assert answers.remarks == noted(no_tag=2)


def test_other_tags_missing_tags_and_tags_of_several_words(write: Write) -> None:
    answers = statute.read_answers(write("q1 Y\nq2 N my own run\nq3 N OTHER\nq4 N my\n"))
    assert answers.tag == "my"
    assert answers.remarks == noted(no_tag=1, tag_words=["line 2: my own run"], tag=["line 3: OTHER"])


def test_the_same_answer_twice_counts_once(write: Write) -> None:
    answers = statute.read_answers(write("R07-01-O Y T\nR07-02-O N T\n\nR07-01-O Y T\nR07-02-O.txt no T\n"))
    assert answers.labels == {"R07-01-O": True, "R07-02-O": False}
    assert answers.remarks == noted(duplicate=["line 4: R07-01-O Y", "line 5: R07-02-O no"], label_form=["line 5: no"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q1 Maybe T\nq2 2 T\n", "f.txt, line 1: [bad-label] (found 'Maybe')"),
        ("q1 Q0 213 1 0.8 T\n", "f.txt, line 1: [bad-label] (found 'Q0')"),
        ("q1 \x1b[31m T\n", "f.txt, line 1: [bad-label] (found '\\x1b[31m')"),
        ("\nq1\n", "f.txt, line 2: [columns] (found 'q1')"),
        ("q1,maybe,T\n", "f.txt, line 1: [bad-label] (found 'maybe')"),
        (
            "q1\u3000Y\xa0T\n",
            "f.txt, line 1: [columns] (found 'q1\\u3000Y\\xa0T')",
        ),
        (
            "q1 Y T\nq2 Y T\nq1 True T\nq1.txt N T\n",
            "f.txt, line 4: [conflicting] line 1 … (found 'q1 N')",
        ),
        ("# nothing\n", "f.txt: [empty]"),
        ("q1 Y T\n/* q2 Y T\n", "f.txt, line 2: [syntax]"),
        (
            b"q1 Y T\nq2 Y \x96\xaf\n",
            "f.txt, line 2: [encoding] (found '\\x96\\xaf\\n')",
        ),
    ],
)
def test_what_answers_refuse(write: Write, content: str | bytes, message: str) -> None:
    assert refusal(statute.read_answers, write(content)) == message
    assert refusal(statute.read_label_gold, write(content)) == message


def test_numbers_are_labels_where_all_are(write: Write) -> None:
    for text in ("q1 1 T\nq2 0 T\n", "q1,1\nq2,0\n", "q1\t1\nq2\t0\n"):
        assert statute.sniff_run(text.encode()) == statute.sniff_gold(text.encode()) == "labels"
        answers = statute.read_answers(write(text))
        assert answers.labels == {"q1": True, "q2": False}
        assert answers.remarks.examples("label-form") == ("line 1: 1", "line 2: 0")
        assert statute.read_label_gold(write(text)).labels == answers.labels


@pytest.mark.parametrize("text", ["q1 Y T\nq2 1 T\n", "q1 1 T\nq2 0 T\nq3 no T\n"])
def test_numbers_and_letters_are_not_mixed(write: Write, text: str) -> None:
    for read in (statute.read_answers, statute.read_label_gold):
        with pytest.raises(InputError) as caught:
            read(write(text))
        assert caught.value.line == len(text.splitlines())
        assert heard(caught.value.remedy) == "…"


def test_answers_that_are_no_labels_are_kept_apart(write: Write) -> None:
    answers = statute.read_answers(write("q1 Sorry T\nq2 Y T\nq3 I cannot say\nq4,,T\nq1 Sorry T\n"))
    assert answers.labels == {"q2": True}
    assert answers.unreadable == ("q1", "q3", "q4")
    assert answers.remarks.examples("unreadable-answer") == ("line 1: Sorry", "line 3: I", "line 4: ")
    with pytest.raises(InputError) as caught:
        statute.read_answers(write("q1 Sorry T\nq1 Y T\n"))
    assert (caught.value.line, caught.value.found) == (2, "q1 Y")
    with pytest.raises(InputError) as caught:
        statute.read_label_gold(write("q2 Y T\nq1 Sorry T\n"))
    assert (caught.value.line, caught.value.found) == (2, "Sorry")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("q1 Sorry T\nq2 Y T\nq3 N T\n", "labels"),
        ("q1 Sorry\nq2 1\nq3 0\n", "labels"),
        ("q1 Sorry T\nq2 Y T\n", None),
        ("q1 1 T\nq2 1 T\n", None),  # articles
        ("q1 1 T\nq1 0 T\n", None),  # documents of one query
        ("7 0 99 1\n8 0 98 1\n", None),  # qrels
        ("q1 Q0 0 1 1 T\nq2 Q0 1 1 1 T\n", None),
        ("0 1542 1\n0 99 2\n1 5 1\n", None),  # MS MARCO's rows with ranks
        ("", None),
    ],
)
def test_what_is_a_label_list_is_seen_from_its_first_lines(text: str, form: str | None) -> None:
    assert statute.sniff_run(text.encode()) == form


def test_a_label_list_as_gold(write: Write) -> None:
    gold = statute.read_label_gold(write("R07-01-O\tY\nR07-02-O\tfalse\nR07-01-O\tY\nR07-03-O N some tag\n"))
    assert gold == Gold(
        labels={"R07-01-O": True, "R07-02-O": False, "R07-03-O": False},
        path="f.txt",
        format="labels",
        remarks=noted(label_form=["line 2: false"], gold_duplicate=["line 3: R07-01-O Y"]),
    )


# writing


def written(answers: Answers | Mapping[str, bool], tag: str) -> str:
    stream = io.StringIO()
    statute.write_answers(answers, stream, tag)
    return stream.getvalue()


def test_answers_are_written_with_single_spaces() -> None:
    labels = {"R07-01-O": True, "R07-02-O": False}
    assert written(labels, "T") == "R07-01-O Y T\nR07-02-O N T\n"
    assert written(Answers(labels, tag="other"), "T") == "R07-01-O Y T\nR07-02-O N T\n"
    assert written({}, "T") == ""


IDS = st.from_regex(r"[A-Z][0-9]{2}-[0-9]{1,2}-[A-Z0-9民]", fullmatch=True)


@given(st.dictionaries(IDS, st.booleans(), min_size=1))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, labels: dict[str, bool]) -> None:
    path = tmp_path_factory.getbasetemp() / "answers.txt"
    path.write_text(written(labels, "T"), encoding="utf-8")
    source = Source(path)
    assert statute.sniff_gold(source.head()) == statute.sniff_run(source.head()) == "labels"
    assert statute.read_answers(source) == Answers(labels, "T", source.name, "labels")
    assert statute.read_label_gold(source) == Gold(None, labels, source.name, "labels")


@pytest.mark.parametrize("word", ["", " ", "a b", "a\tb", "a\n"])
def test_what_is_not_one_word_is_not_written(word: str) -> None:
    message = f"[bad-id] {word!r} …"
    for labels, tag in (({word: True}, "T"), ({"q": True}, word)):
        with pytest.raises(UsageError) as error:
            written(labels, tag)
        assert heard(error.value) == message


@pytest.mark.parametrize("query", ["#1", "/*1"])
def test_an_id_like_a_comment_is_not_written(query: str) -> None:
    with pytest.raises(UsageError) as error:
        written({query: True}, "T")
    assert heard(error.value) == f"[bad-id] {query!r} …"


# sniffing


@pytest.mark.parametrize(
    ("head", "form"),
    [
        (b"<?xml version='1.0'?>\n<dataset>\n<pair id='q'", "statute-xml"),
        (b"\n <!-- a --><dataset/>", "statute-xml"),
        (b"<data><pair\nid='q'>", "statute-xml"),
        (b"<COLIEE task='1'><instance id='001'>", None),
        (b"<datasets><pairs>", None),
        (b"q1 Y T <pair id='q'>", "labels"),
        (b"R07-01-O\tY", "labels"),
        (b"# a\r/* b\nc */\rR07-01-O False my tag\r", "labels"),
        (b"q1 Y T\nq2 Maybe T\n", "labels"),
        (b"q1 no \xe6\xb0", "labels"),
        (b"Y", None),
        (b"000001 000018 univABC\n", None),
        (b"H19-1-3 96 TAG\n", None),
        (b"H21-5-3 Q0 213 1 0.8 TAG\n", None),
        (b"R02-1-A 0 398-20 1\n", None),
        (b'{"001": ["Y"]}', None),
        (b"/* q1 Y T", None),
        (b"# q1 Y T", None),
        (b"", None),
        (b"\xff\xfe<\x00d\x00", None),
    ],
)
def test_sniffing(head: bytes, form: str | None) -> None:
    assert statute.sniff_gold(head) == form
    assert statute.sniff_run(head) == (form if form == "labels" else None)
