import pytest
from asserting import matches
from reading import told

from coliee_adapters.corpora import Document, civil_code
from coliee_adapters.forms.statute import article_head

ENGLISH = """\
Civil Code of the Isle (Part I and Part II)
Act No. 7 of 1896
Part I General Rules
Chapter I Common Rules
(Right of the Keeper of Bees against the Keeper of a Garden in
Which They Settle)
Article 1  (1) A keeper who follows a swarm may act under
Article 3 and under the rules of
Part IV (Gardens).
(2) The same holds, as in
Chapter II of this Code, at night
(unless it rains)
(Swarms (Large))

Article 3-2(1)If a swarm leaves, it is free.
(ii) (and its annex)
Articles 5 to 7  Deleted
Chapter III Gardens and
Orchards
Article 398-20
(1) A hive is a house, as in
Article 5, paragraph (1).
Supplementary Provisions
Article 1 This Code begins in spring.
"""
JAPANESE = """\
民法（抄）
第一編　総則
（蜜蜂）
第一条　蜜蜂は、第五条の規定により、自由とする。
２　第二条　は別とする。
　一　女王
第二条　巣は、家とする。
第三十八条から第八十四条まで　削除
第一章の二　巣箱
（巣箱の数（上限を含む。））
第三百九十八条の二十　巣箱は、第一章の規定に従う。
第三百九十八条の二　巣は、一とする。
附　則
第一条　この法律は、春から施行する。
"""
ORGANISERS = """\
<?xml version="1.0" encoding="utf-8"?>
<Articles>
  <Article num="1"><caption>（蜜蜂）</caption>
    <text>第一条　蜜蜂は、自由とする。ただし、祀る日を除く。
一　女王　一匹
２　巣は、家とする。</text></Article>
  <Article num="38:84"><caption/><text>第三十八条から第八十四条まで　削除</text></Article>
  <Article num="398-20"><caption/><text>第三百九十八条の二十　巣箱</text></Article>
</Articles>
"""
#: a code, its articles: id → title, text
CODES = [
    (ENGLISH, {
        "1": ("Right of the Keeper of Bees against the Keeper of a Garden in Which They Settle",
              "Article 1  (1) A keeper who follows a swarm may act under\nArticle 3 and under the rules of\nPart IV "
              "(Gardens).\n(2) The same holds, as in\nChapter II of this Code, at night\n(unless it rains)"),
        "3-2": ("Swarms (Large)", "Article 3-2(1)If a swarm leaves, it is free.\n(ii) (and its annex)"),
        "398-20": ("", "Article 398-20\n(1) A hive is a house, as in\nArticle 5, paragraph (1)."),
    }),
    (JAPANESE, {
        "1": ("蜜蜂", "第一条　蜜蜂は、第五条の規定により、自由とする。\n２　第二条　は別とする。\n一　女王"),
        "2": ("", "第二条　巣は、家とする。"),
        "398-20": ("巣箱の数（上限を含む。）", "第三百九十八条の二十　巣箱は、第一章の規定に従う。"),
        "398-2": ("", "第三百九十八条の二　巣は、一とする。"),
    }),
    (ORGANISERS, {
        "1": ("蜜蜂", "第一条　蜜蜂は、自由とする。ただし、祀る日を除く。\n一　女王　一匹\n２　巣は、家とする。"),
        "398-20": ("", "第三百九十八条の二十　巣箱"),
    }),
]  # fmt: skip


def articles(source):
    found = civil_code.read(source)
    assert list(found) == [article.doc_id for article in found.values()]
    return list(found.values())


@pytest.mark.parametrize(("content", "expected"), CODES, ids=["English", "Japanese", "organisers"])
def test_each_form_gives_its_articles_in_order(source, content, expected):
    documents = [Document(article, text, title) for article, (title, text) in expected.items()]
    assert articles(source(content)) == documents
    assert articles(source("\ufeff" + content.replace("\n", "\r\n"))) == documents
    assert civil_code.sniff(content.encode())


def test_a_caption_is_one_bracket_from_end_to_end(source):
    for before, title in (
        ("(Bees)", "Bees"), ("（蜂）", "蜂"), ("( Bees )", "Bees"), ("(a\nb\nc\nd)", "a b c d"),
        *((line, "") for line in ("(a)(b)", "(open", "closed)", "(1) Bees", "()")),
        ("(a\nb\nc\nd\ne)", ""),  # too long for a caption
    ):  # fmt: skip
        assert articles(source(f"Article 1 A bee.\n{before}\nArticle 2 A hive."))[1].title == title, before


@pytest.mark.parametrize(
    ("ends", "lines"),
    [
        (True, ["Part I General Provisions", "Chapter 10 Person", "Section III Domicile", "第九条　削除", "附則　抄",
                "Subsection 2 Effect of Claims", "Division 1-2 Hives", "第二編　物権", "第三章の二　巣", "第十節　総則",
                "第一款　総則", "第１目　総則", "Articles 38 through 84 Deleted", "Articles 8 and 9 Deleted.",
                "第八条及び第九条　削除", "SUPPLEMENTARY PROVISIONS (Act No. 3)"]),
        (False, ["Part IV (Relatives).", "Chapter III applies.", "Section 2 Paragraph one holds;", "Parties may agree",
                 "第一章の規定", "第二編　は別とする。", "Articles 8 and 9 apply", "第八条及び第九条の規定"]),
    ],
)  # fmt: skip
def test_headings_and_deleted_ranges_end_an_article_and_sentences_do_not(source, ends, lines):
    texts = {line: articles(source(f"Article 1 A bee.\n{line}\n"))[0].text for line in lines}
    assert texts == {line: "Article 1 A bee." if ends else f"Article 1 A bee.\n{line}" for line in lines}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("Part I General\nArticle 5 applies.\n", ": [empty]"),
        ("<Articles/>", ": [empty]"),
        ("Article 1 A bee.\n\nArticle 2 A hive.\nArticle 1 A wasp.\n", ", line 4: [duplicate] 1 … (found '1')"),
        ('<Articles>\n<Article num="1"/>\n<Article num="１"/></Articles>', ", line 3: [duplicate] 2 … (found '1')"),
        ('<Articles>\n<Article num="one"/></Articles>', ", line 2: [bad-article] (found 'one')"),
        ("<Articles><Article/></Articles>", ", line 1: [bad-article] (found '')"),
        ("<Articles>\n<Article>", ", line 2, column 10: [syntax] no element found …"),
        (b"Article 1 A bee.\nArticle 2 \x96A hive\x97.", ", line 2: [encoding] (found '\\x96A hive\\x97')"),
    ],
)
def test_what_is_refused_says_so(source, content, sentence):
    assert matches(told(civil_code.read, source(content)), f"f.txt{sentence}")


def kanji(number):
    """The naive twin: a number from 1 to 9999 as a law writes it."""
    written = ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        count, number = divmod(number, unit)
        if count:
            written += ("〇一二三四五六七八九"[count] if count > 1 or unit == 1 else "") + name
    return written


def test_every_japanese_numeral_is_read_and_so_are_branches():
    for number in range(1, 10_000):
        branch, rest = 9999 * number // 77 % 9999 + 1, ("　蜂", " 蜂", "", "（蜂）　蜂")[number % 4]
        assert article_head(f"第{kanji(number)}条{rest}") == str(number)
        assert article_head(f"第{kanji(number)}条の{kanji(branch)}の二{rest}") == f"{number}-{branch}-2"
