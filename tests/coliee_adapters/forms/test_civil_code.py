import pytest
from asserting import heard, matches

from coliee_adapters.corpora import Document, civil_code
from coliee_adapters.errors import InputError
from coliee_adapters.forms.statute import article_head

ENGLISH = """\
Civil Code of the Isle (Part I and Part II)
Act No. 7 of 1896
Part I General Rules
Chapter I Common Rules
(Fair Dealing)
Article 1  (1) Whoever deals must deal fairly.
(2) Article 5 applies to bees.
Article 2  A bargain struck asleep is void (see Article 3).
Section 2 Capacity to Keep Bees
Article 3-2  A child keeps bees with a parent's leave.
(i) as listed in the hive book
(ii) (and its annex)
(Swarms (Large))

Article 4(1)If a swarm leaves, it is free.
Articles 5 to 7  Deleted
Part II Real Things
Subsection 1 Hives
Article 398-20
(1) A hive is a house.
Supplementary Provisions
Article 1 This Code begins in spring.
"""

ENGLISH_ARTICLES = [
    Document("1", "Article 1  (1) Whoever deals must deal fairly.\n(2) Article 5 applies to bees.", "Fair Dealing"),
    Document("2", "Article 2  A bargain struck asleep is void (see Article 3)."),
    Document(
        "3-2",
        "Article 3-2  A child keeps bees with a parent's leave.\n(i) as listed in the hive book\n(ii) (and its annex)",
    ),
    Document("4", "Article 4(1)If a swarm leaves, it is free.", "Swarms (Large)"),
    Document("398-20", "Article 398-20\n(1) A hive is a house."),
]

JAPANESE = """\
民法（抄）
第一編　総則
第一章　通則
（蜜蜂）
第一条　蜜蜂は、第五条の規定により、自由とする。
２　第二条　は別とする。
　一　女王
第二条　巣は、家とする。
第三十八条から第八十四条まで　削除
第一章の二　巣箱
第一節　総則
（巣箱の数（上限を含む。））
第三百九十八条の二十　巣箱は、第一章の規定に従う。
第三百九十八条の二　巣は、一とする。
附　則
第一条　この法律は、春から施行する。
"""

JAPANESE_ARTICLES = [
    Document("1", "第一条　蜜蜂は、第五条の規定により、自由とする。\n２　第二条　は別とする。\n一　女王", "蜜蜂"),
    Document("2", "第二条　巣は、家とする。"),
    Document("398-20", "第三百九十八条の二十　巣箱は、第一章の規定に従う。", "巣箱の数（上限を含む。）"),
    Document("398-2", "第三百九十八条の二　巣は、一とする。"),
]

ORGANISERS = """\
<?xml version="1.0" encoding="utf-8"?>
<Articles>
  <Article num="1">
    <caption>（蜜蜂）</caption>
    <text>第一条　蜜蜂は、自由とする。ただし、祀る日を除く。
一　女王　一匹
イ　若い女王
２　巣は、家とする。</text>
  </Article>
  <Article num="38:84">
    <caption/>
    <text>第三十八条から第八十四条まで　削除</text>
  </Article>
  <Article num="398-20">
    <caption/>
    <text>第三百九十八条の二十　巣箱</text>
  </Article>
</Articles>
"""

XML_ARTICLES = [
    Document(
        "1",
        "第一条　蜜蜂は、自由とする。ただし、祀る日を除く。\n一　女王　一匹\nイ　若い女王\n２　巣は、家とする。",
        "蜜蜂",
    ),
    Document("398-20", "第三百九十八条の二十　巣箱"),
]


def articles(source):
    found = civil_code.read(source)
    assert list(found) == [article.doc_id for article in found.values()]
    return list(found.values())


@pytest.mark.parametrize(
    ("content", "expected"),
    [(ENGLISH, ENGLISH_ARTICLES), (JAPANESE, JAPANESE_ARTICLES), (ORGANISERS, XML_ARTICLES)],
    ids=["English", "Japanese", "organisers"],
)
def test_each_form_gives_its_articles_in_order(source, content, expected):
    assert articles(source(content)) == expected
    assert articles(source("\ufeff" + content.replace("\n", "\r\n"))) == expected
    assert civil_code.sniff(content.encode())


def test_wrapped_lines_belong_to_their_article(source):
    text = """\
(Right of the Keeper of Bees against the Keeper of a Garden in
Which They Settle)
Article 1 (1) A keeper who follows a swarm may act under
Article 3 and under the rules of
Part IV (Gardens).
(2) The same holds, as in
Chapter II of this Code, at night
(unless it rains)
(Rain)
Article 2 Rain is defined in
Article 5, paragraph (1).
Chapter III Gardens and
Orchards
Article 3 A garden is closed.
"""
    one, two, three = articles(source(text))
    assert one.title == "Right of the Keeper of Bees against the Keeper of a Garden in Which They Settle"
    assert one.text == (
        "Article 1 (1) A keeper who follows a swarm may act under\nArticle 3 and under the rules of\n"
        "Part IV (Gardens).\n(2) The same holds, as in\nChapter II of this Code, at night\n(unless it rains)"
    )
    assert two == Document("2", "Article 2 Rain is defined in\nArticle 5, paragraph (1).", "Rain")
    assert three == Document("3", "Article 3 A garden is closed.")


@pytest.mark.parametrize(
    ("before", "title"),
    [
        ("(Bees)", "Bees"),
        ("（蜂）", "蜂"),
        ("( Bees )", "Bees"),
        ("(a)(b)", ""),  # two brackets
        ("(open", ""),
        ("closed)", ""),
        ("(1) Bees", ""),
        ("()", ""),
        ("(a\nb\nc\nd)", "a b c d"),
        ("(a\nb\nc\nd\ne)", ""),  # too long for a caption
    ],
)
def test_a_caption_is_one_bracket_from_end_to_end(source, before, title):
    assert articles(source(f"Article 1 A bee.\n{before}\nArticle 2 A hive."))[1].title == title


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("Part I General Provisions", True), ("Chapter 10 Person", True), ("Section III Domicile", True),
        ("Subsection 2 Effect of Claims", True), ("Division 1-2 Hives", True), ("第二編　物権", True),
        ("第三章の二　巣", True), ("第十節　総則", True), ("第一款　総則", True), ("第１目　総則", True),
        ("Articles 38 through 84 Deleted", True), ("Articles 8 and 9 Deleted.", True),
        ("第八条及び第九条　削除", True), ("SUPPLEMENTARY PROVISIONS (Act No. 3)", True), ("附則　抄", True),
        ("Part IV (Relatives).", False), ("Chapter III applies.", False),
        ("Section 2 Paragraph one holds;", False), ("Parties may agree", False), ("第一章の規定", False),
        ("第二編　は別とする。", False), ("Articles 8 and 9 apply", False), ("第九条　削除", True),
        ("第八条及び第九条の規定", False),
    ],
)  # fmt: skip
def test_headings_and_deleted_ranges_end_an_article_and_sentences_do_not(source, line, ends):
    article = articles(source(f"Article 1 A bee.\n{line}\n"))[0]
    assert article.text == ("Article 1 A bee." if ends else f"Article 1 A bee.\n{line}")


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
    with pytest.raises(InputError) as error:
        civil_code.read(source(content))
    assert matches(heard(error.value), f"f.txt{sentence}")


def kanji(number):
    """The naive twin: a number from 1 to 9999 as a law writes it."""
    digits = "〇一二三四五六七八九"
    written = ""
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        count, number = divmod(number, unit)
        if count:
            written += (digits[count] if count > 1 or unit == 1 else "") + name
    return written


def test_every_japanese_numeral_is_read_and_so_are_branches():
    for number in range(1, 10_000):
        branch, rest = 9999 * number // 77 % 9999 + 1, ("　蜂", " 蜂", "", "（蜂）　蜂")[number % 4]
        assert article_head(f"第{kanji(number)}条{rest}") == str(number)
        assert article_head(f"第{kanji(number)}条の{kanji(branch)}の二{rest}") == f"{number}-{branch}-2"
