import io
from pathlib import Path

import pytest
from asserting import done, matches, mentions, refusing
from by_form import readers, sniffed, write
from hypothesis import given
from hypothesis import strategies as st
from reading import told

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import statute
from coliee_adapters.records import Answers, Gold
from coliee_adapters.remarks import Remarks


def noted(**kinds):
    """Remarks by kind (``_`` for ``-``): their examples, or only their count."""
    remarks = Remarks()
    for kind, examples in kinds.items():
        for example in examples if isinstance(examples, list) else [""] * examples:
            remarks.add(kind.replace("_", "-"), example)
    return remarks


def dataset(*pairs):
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<dataset>", *pairs, "</dataset>"])


def heads(source, text):
    """The articles of one pair whose ``<t1>`` holds the text."""
    gold = read_gold(source(f'<dataset><pair id="q" label="Y"><t1>{text}</t1></pair></dataset>'))
    assert list(gold.qrels) == ["q"]
    return list(gold.qrels["q"])


read_gold, _ = readers("statute-xml", "labels")
read_label_gold, read_answers = readers("labels", "labels")


WORDS = {"y": True, "Yes": True, "TRUE": True, "n": False, "no": False, "False": False}
#: pairs, articles, labels, remarks
GOLDS = [
    # article elements with ids
    ('<pair id="H18-1-2" label="Y"><t1><article id="566"/>\n<article id="567"/></t1><t2>A sentence.</t2></pair>\n'
     "<pair label='N' id='H18-1-3'><t1><article id='398-20'></article></t1><t2>Article 5 If</t2></pair>",
     {"H18-1-2": {"566": 1, "567": 1}, "H18-1-3": {"398-20": 1}}, {"H18-1-2": True, "H18-1-3": False}, {}),
    ('<pair id="R05-01-A" label="N"><t1>\n(Offers)\nArticle 537(1)If one party promises, it is bound under\n'
     "the provisions of Article 5, and Article 6 (1).\n(2) Article 7 applies.\n"
     "  Article 398-2 (1) A right may be created.\nArticle 398-20\nThe principal is fixed.\n"
     "</t1><t2>Article 99 Nothing.</t2></pair>",
     {"R05-01-A": {"537": 1, "398-2": 1, "398-20": 1}}, {"R05-01-A": False}, {}),
    ('<pair id="R01-1-A" label="Y"><t1>（担保）\n第三百九十八条の二十　元本は、第五条及び第六条の規定により確定する。\n'
     "２　第七条　は別とする。\n第五百六十六条\n</t1><t2>第九条　なし。</t2></pair>\n"
     '<pair id="R1-18-U" label="N"><t1>第５条　あり。</t1></pair>',
     {"R01-1-A": {"398-20": 1, "566": 1}, "R1-18-U": {"5": 1}}, {"R01-1-A": True, "R1-18-U": False}, {}),
    # articles beside the question
    ('<pair id="R07-01-O" label="Y"><article>11</article><article> ７ </article><t2>A.</t2></pair>\n'
     '<pair id="R07-02-O" label="N"><t2>Article 5 B.</t2></pair><pair id="q" label="N"><article/><t2>C.</t2></pair>',
     {"R07-01-O": {"11": 1, "7": 1}, "R07-02-O": {}, "q": {}}, {"R07-01-O": True, "R07-02-O": False, "q": False}, {}),
    # numbers that are not known
    ('<pair id="q" label="Y"><t1>[MISSING ARTICLE 11]\n第十二条　あり。\n[MISSING ARTICLE ３９８-２]</t1></pair>',
     {"q": {"11": 1, "12": 1, "398-2": 1}}, {"q": True}, {"missing_article": ["line 3: q 11", "line 3: q 398-2"]}),
    ('<pair id="q1" label="Y"><t1>(Offers) Article 5 If one party promises. Article 6 If not.</t1></pair>\n'
     '<pair id="q2" label="Y"><t1> \n </t1></pair>\n<pair id="q3" label="Y"><t1/></pair>',
     {"q1": {}, "q2": {}, "q3": {}}, {"q1": True, "q2": True, "q3": True}, {"no_head": ["q1"]}),
    ("<pair id='q1' label='Y'><article>5</article><article>6</article><article>5</article></pair>\n"
     "<pair id='q2' label='Y'><t1>Article 7 (1) If\nArticle 7 (2) If</t1></pair>",
     {"q1": {"5": 1, "6": 1}, "q2": {"7": 1}}, {"q1": True, "q2": True},
     {"gold_duplicate": ["line 3: q1 5", "line 4: q2 7"]}),
    # labels alone, and ids as they are but for their ends
    ("<pair id=' R1-18-U.txt ' label='Y'><t2>Article 5 If</t2></pair><pair id='R01-18-U' label='Y'/>",
     None, {"R1-18-U": True, "R01-18-U": True}, {}),
    *((f"<pair id='a' {label}><t1>Article 5 If</t1></pair><pair id='b' {label}/>", {"a": {"5": 1}, "b": {}}, None, {})
      for label in ("", "label=''", "label=' '")),
    *((f"<pair id='q1' label='{word}'/><pair id='q2' label=' N '/>", None, {"q1": label, "q2": False},
       {"label_form": [f"line 3: {word}"]}) for word, label in WORDS.items()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "qrels", "labels", "remarks"), GOLDS)
def test_golds_of_every_generation(source, text, qrels, labels, remarks):
    gold = read_gold(source(dataset(text)))
    assert gold == Gold(qrels, labels, "f.txt", "statute-xml", remarks=noted(**remarks))
    assert gold.queries == tuple(qrels or labels or ())


HEADS = {
    "Article 566": "566", "\t Article 566 A seller": "566", "Article 537(1)If": "537", "Article 566If": "566",
    "Article 398-2-3 If": "398-2-3", "Article\xa0９６（１）\u3000If": "96", "Article 398－2 If": "398-2",
    "Article 32 (1)…": "32", "Article 5 “Person” means": "5", "　第五百六十六条": "566", "第398条の20\t元本": "398-20",
    "第三九八条の二〇　元本": "398-20", "第一千一百一十一条　親族": "1111", "第九十五条（錯誤）　意思表示は": "95",
    "第九十五条(錯誤)": "95", "Article 424の2 (1) If": "424-2", "Article 424-2:　If": "424-2",
}  # fmt: skip
REFERENCES = [
    "Article 5 applies mutatis mutandis", "Article 398-20, paragraph (1)", "Article 32 (1) and (2)", "Article 5.",
    "Article 5–7 Deleted", "Article 398‑20 If", "Article 398- 20 If", "Articles 5 and 6", "第五条の規定",
    "第五条第一項", "第五条及び第六条", "第五条の二の規定", "第五条（第二項を除く。）の規定", "第一章　総則",
    "第三十八条から第八十四条まで　削除", "第条　なし", "Article 424（の2） If", "Article 424ー2 If",
    "Article 424:2 If", "「第五条　あり」", "第" + "一" * 5000 + "条　あり",
]  # fmt: skip


def test_a_head_stands_at_the_start_of_a_line_where_a_reference_may_stand_too(source):
    for line, article in HEADS.items():
        assert heads(source, f"(Caption)\n{line}\nmore") == [article], line
        assert heads(source, f"Under the said. {line}") == [], line
    for line in REFERENCES:
        assert heads(source, f"Article 96 A person, pursuant to\n{line}") == ["96"], line
    for line in (  # what cannot be read is told
        *("第424-2条　債", "第424-2条", "424 bis 2　If", "Article 424 bis 2 If", "Art. 424-2　If", "Article 424_2 If"),
        *("Article 424（の2） If", "第424条 の2　債権者"),
    ):
        gold = read_gold(source(dataset(f'<pair id="q" label="Y"><t1>Article 96 If\n{line}\n第五条の規定</t1></pair>')))
        assert (gold.qrels, gold.remarks.examples("no-head")) == ({"q": {"96": 1}}, (f"q: {line}",))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ("<pair id='q1' label='Y'/>\n<pair id='q2'/>", ", line 4: [missing-label] (found 'q2')"),
        ("<pair id='q1'><article>5</article></pair>\n<pair id='q2' label='N'/>",
         ", line 3: [missing-label] (found 'q1')"),
        ("<pair id='q1' label='Y'/>\n\n<pair id='q1.txt' label='Y'/>", ", line 5: [duplicate] 3 … (found 'q1')"),
        *((f"<pair {name} label='Y'/>", ", line 3: [missing-id]") for name in ("", "id=' '")),
        *((f"<pair id='q' label='{word}'/>", f", line 3: [bad-label] (found '{word}')") for word in ("U", "Y/N", "Ｙ")),
        *((f"<pair id='q1' label='Y'>\n{held}</pair>", f", line 4: [bad-article] (found '{found}')")
          for held, found in (
            ("<article>5, 6</article>", "5, 6"), ("<t1><article id='398の2'/></t1>", "398の2"),
            ("<article>Article 5</article>", "Article 5"), ("<t1>[MISSING ARTICLE ]</t1>", ""))),
        ("<instance id='001'/>", ", line 2: [empty] (found '<dataset>')"),
        ("<pair id='q1'><t2>Article 5 If</t2></pair>\n<pair id='q2'><t1> </t1></pair>", ": [missing-label]"),
        ("<pair id='q1' label='Y'>", ", line 4, column 3: [syntax] mismatched tag …"),
    ],
)  # fmt: skip
def test_what_gold_refuses(source, pairs, message):
    assert matches(told(read_gold, source(dataset(pairs))), f"f.txt{message}")


BOTH = {"q1": True, "q2": False}


@pytest.mark.parametrize(
    ("content", "labels", "tag", "remarks"),
    [
        ("\ufeff\ufeffq1 Y T\r\n\ufeffq2.txt N T", BOTH, "T", {}),
        ("q1,Y,T\rq2; N;T\r", BOTH, "T", {}),
        ("  q1\tY\tT  \n\n \t\nq2 \t N\v\fT", BOTH, "T", {}),
        ("q1 Y\nq2 N\n", BOTH, "f", {"no_tag": 2}),
        *((f"q1 {w} T\n", {"q1": y}, "T", {"label_form": [f"line 1: {w}"]}) for w, y in WORDS.items()),
        ("q1,1,T\nq2 0 T\n", BOTH, "T", {"label_form": ["line 1: 1", "line 2: 0"]}),
        ("q1 Y\nq2 N my own run\nq3 N OTHER\nq4 N my\n", {**BOTH, "q3": False, "q4": False}, "my",
         {"no_tag": 1, "tag_words": ["line 2: my own run"], "tag": ["line 3: OTHER"]}),
        ("q1 Y T\nq2 N T\n\nq1 Y T\nq2.txt no T\n", BOTH, "T",
         {"duplicate": ["line 4: q1 Y", "line 5: q2 no"], "label_form": ["line 5: no"]}),
        ("/* q0 Y U\n\nq3 N T\n*/q1 Y T\nq2 N T\n  # end", BOTH, "T",
         {"comment": ["line 1: /* q0 Y U", "line 3: q3 N T", "line 6: # end"]}),
    ],
)  # fmt: skip
def test_answers(source, content, labels, tag, remarks):
    file = source(content)
    assert read_answers(file) == Answers(labels, tag, "f.txt", "labels", remarks=noted(**remarks))
    of_gold = {"comment": "gold_comment", "duplicate": "gold_duplicate", "label_form": "label_form"}
    expected = noted(**{of_gold[kind]: given for kind, given in remarks.items() if kind in of_gold})
    assert read_label_gold(file) == Gold(None, labels, "f.txt", "labels", remarks=expected)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        *((f"q {word} 3 1 0.8 T\n", f", line 1: [bad-label] (found {word!r})") for word in ("Maybe", "Q0", "\x1b[2J")),
        ("\nq1\n", ", line 2: [columns] (found 'q1')"),
        ("q1\u3000Y\xa0T\n", ", line 1: [columns] (found 'q1\\u3000Y\\xa0T')"),
        ("q1 Y T\nq2 Y T\nq1 True T\nq1.txt N T\n", ", line 4: [conflicting] line 1 … (found 'q1 N')"),
        ("q1 Y T\nq2 1 T\n", ", line 2: [mixed-forms] … (found '1')"),
        ("q1 1 T\nq2 0 T\nq3 no T\n", ", line 3: [mixed-forms] … (found 'no')"),
        ("# nothing\n", ": [empty]"), ("q1 Y T\n/* q2 Y T\n", ", line 2: [syntax]"),
        (b"q1 Y T\nq2 Y \x96\xaf\n", ", line 2: [encoding] (found '\\x96\\xaf\\n')"),
    ],
)  # fmt: skip
def test_what_answers_refuse(source, content, message):
    assert matches(told(read_answers, source(content)), f"f.txt{message}")
    assert matches(told(read_label_gold, source(content)), f"f.txt{message}")


def test_answers_that_are_no_labels_are_kept_apart(source):
    answers = read_answers(source("q1 Sorry T\nq2 Y T\nq3 I cannot say\nq4,,T\nq1 Sorry T\n"))
    assert (answers.labels, answers.unreadable) == ({"q2": True}, ("q1", "q3", "q4"))
    assert answers.remarks.examples("unreadable-answer") == ("line 1: Sorry", "line 3: I", "line 4: q4 has no answer")
    assert mentions(told(read_answers, source("q1 Sorry T\nq1 Y T\n")), "line 2: [conflicting] … (found 'q1 Y')")
    assert mentions(told(read_label_gold, source("q2 Y T\nq1 Sorry T\n")), "line 2: … (found 'Sorry')")
    for line in ("R05-01-A Y Y N", "R05-01-A,Y,N", "R05-01-A Y yes"):  # an answer in the place of the run tag
        assert "[ambiguous]" in told(read_answers, source(f"{line}\n"))


@given(st.dictionaries(st.text("HU01-民", max_size=6).map("R".__add__), st.booleans(), min_size=1))
def test_what_is_written_is_read_again_and_what_would_not_be_is_not_written(tmp_path_factory, labels):
    path = tmp_path_factory.getbasetemp() / "answers.txt"
    with path.open("w", encoding="utf-8") as stream:
        write("labels", {}, stream, labels=labels, tag="T")
    source = Source(path)
    assert sniffed(source.head(), statute) == ["labels", "labels"]
    assert read_answers(source) == Answers(labels, "T", source.name, "labels")
    assert read_label_gold(source) == Gold(None, labels, source.name, "labels")
    for word in ("", " ", "a b", "a\tb", "a\n", "#1", "/*1"):
        for odd, tag in (({word: True}, "T"), *([({"q": True}, word)] if word[:1] not in "#/" else [])):
            with refusing(UsageError, f"[bad-id] {word!r} …"):
                write("labels", {}, io.StringIO(), labels=odd, tag=tag)


@pytest.mark.parametrize(
    ("head", "form"),
    [
        ("\n <!-- a --><dataset/>", "statute-xml"), ("<data><pair\nid='q'>", "statute-xml"),
        ("<datasets><pairs>", None), ("<COLIEE task='1'><instance id='001'>", None), ("q1 no 民", "labels"),
        ("# a\r/* b\nc */\rR07-01-O False my tag\r", "labels"), ("q1 Y T\nq2 Maybe T\n", "labels"), ("Y", None),
        ("q1 Sorry\nq2 1\nq3 0\n", "labels"), ("000001 000018 univABC\n", None), ("R07-01-O 第九六条 T\n", None),
        ("R07-01-O ○ T\nR07-02-O × T\n", "labels"), ('{"001": ["Y"]}', None), ("/* q1 Y T", None), ("# q1 Y T", None),
        ("q1 Sorry T\nq2 Y T\n", None), ("q1 1 T\nq2 1 T\n", None),  # articles
        ("q1 1 T\nq1 0 T\n", None), ("7 0 99 1\n8 0 98 1\n", None), ("q1 Q0 0 1 1 T\nq2 Q0 1 1 1 T\n", None),
        ("0 1542 1\n0 99 2\n1 5 1\n", None),  # MS MARCO's rows with ranks
    ],
)  # fmt: skip
def test_sniffing(head, form):
    assert sniffed(head.encode(), statute) == [form, form if form == "labels" else None]


def test_articles_are_rewritten_as_the_gold_names_them(here, call):
    named = {
        "537": "第537条", "398-20": "第398条の20", "424-2": "424.2", "424-3": "424_3", "96": "96(1)", "5": "第五条",
        "121-2": "121‐2条", "566": "民法第５６６条第1項", "413-2": "Article_413_2", "709": "709条1項前段", "97": "９７",
        "412-1": "四百十二ノ1",
        **{odd: odd for odd in ("12項", "0537", "d12", "424②", "424²", "424条(の2)", "第5条及び第6条")},
    }  # fmt: skip
    Path("gold.txt").write_text("".join(f"R07-01-A 0 {one} 1\n" for one in named))
    Path("run.txt").write_text("".join(f"R07-01-A Q0 {one} 1 {at} T\n" for at, one in enumerate(named.values())))
    out, _ = done(call, "convert", "run.txt", "-", "--like", "gold.txt", "--to", "columns")
    assert [line.split()[1] for line in out.splitlines()] == list(named)[::-1]
