"""Makes the example data in ``coliee_ir/examples``: ``python tests/data/make_examples.py [FOLDER]``.

Everything is invented: the law, the cases, the people. The result is the same to the byte on every Python from 3.11:
of ``random`` only ``random()`` is used, whose sequence Python promises to keep, no logarithm or sine, and no
``sum`` of floats, which Python 3.12 made more exact.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar
from xml.sax.saxutils import escape

SEED = 2026
SHIPPED = Path(__file__).parents[2] / "coliee_ir" / "examples"

T = TypeVar("T")
Labels = dict[str, bool]


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the example data of coliee-ir.")
    parser.add_argument("folder", nargs="?", type=Path, default=SHIPPED, help="where to write (default: %(default)s)")
    make(parser.parse_args().folder)


def make(folder: Path) -> None:
    """Write all files, one folder a task. Each task has its own dice, so that a change to one leaves the others."""
    tasks = {
        "task1": task1(Dice()),
        "task2": task2(Dice()),
        "task3-2025": task3_2025(Dice()),
        "task3": task3(Dice()),
        "task4": task4(Dice()),
        "task5": task5(Dice()),
        "tort": tort(Dice()),
        "trec": trec(Dice()),
    }
    for task, files in tasks.items():
        (folder / task).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / task / name).write_bytes(text.encode("utf-8"))


class Dice:
    """Chance, made of nothing but ``random()``."""

    def __init__(self) -> None:
        self._random = random.Random(SEED).random

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def noise(self) -> float:
        """A number from 0 to 3, mostly near 1.5."""
        return self._random() + self._random() + self._random()

    def some(self, items: Iterable[T], n: int) -> list[T]:
        """So many different items, in any order."""
        rest = list(items)
        return [rest.pop(self.whole(0, len(rest) - 1)) for _ in range(n)]

    def pick(self, items: Iterable[T]) -> T:
        return self.some(items, 1)[0]


# systems


class Topic(NamedTuple):
    """A query, and what a system may find for it."""

    query: str
    #: document → relevance, of the relevant ones
    relevance: Mapping[str, int]
    #: document → how relevant it looks to any system, of the whole collection
    appeal: Mapping[str, float]


class Hit(NamedTuple):
    document: str
    score: float


Rankings = dict[str, list[Hit]]


def topics(dice: Dice, relevance: Mapping[str, Mapping[str, int]], collection: Sequence[str]) -> list[Topic]:
    return [
        Topic(query, relevant, {document: dice.noise() for document in collection if document != query})
        for query, relevant in relevance.items()
    ]


def search(dice: Dice, asked: Iterable[Topic], skill: float) -> Rankings:
    """The whole collection, best first, as a system ranks it that adds its skill to the score of what is relevant."""
    return {
        topic.query: sorted(
            (
                Hit(document, skill * topic.relevance.get(document, 0) + appeal + dice.noise())
                for document, appeal in topic.appeal.items()
            ),
            key=lambda hit: (-hit.score, hit.document),
        )
        for topic in asked
    }


def top(rankings: Rankings, n: int) -> Rankings:
    return {query: hits[:n] for query, hits in rankings.items()}


def confident(rankings: Rankings, margin: float, most: int) -> Rankings:
    """The first document, and up to ``most`` in all that score nearly as high."""
    return {
        query: [hit for hit in hits[:most] if hit.score >= hits[0].score - margin] for query, hits in rankings.items()
    }


def answers(dice: Dice, labels: Labels, wrong: int) -> Labels:
    """The labels with so many of them wrong."""
    mistaken = dice.some(labels, wrong)
    return {query: label != (query in mistaken) for query, label in labels.items()}


# files


def lines(*rows: str) -> str:
    return "".join(f"{row}\n" for row in rows)


def json_lists(members: Mapping[str, object]) -> str:
    """A JSON object with one member a line."""
    rows = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in members.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def three_columns(rankings: Rankings, tag: str) -> list[str]:
    return [f"{query} {hit.document} {tag}" for query, hits in rankings.items() for hit in hits]


def six_columns(rankings: Rankings, tag: str) -> list[str]:
    """TREC's lines, scores with two places and falling strictly, so that nothing ties."""
    rows = []
    for query, hits in rankings.items():
        previous = None
        for rank, hit in enumerate(hits, start=1):
            points = round(400 * hit.score)
            previous = points if previous is None else min(points, previous - 1)
            rows.append(f"{query} Q0 {hit.document} {rank} {previous // 100}.{previous % 100:02} {tag}")
    return rows


def label_lines(labels: Labels, tag: str) -> list[str]:
    return [f"{query} {yes_no(label)} {tag}" for query, label in labels.items()]


def yes_no(label: bool) -> str:
    return "Y" if label else "N"


# Tasks 1 and 2


def task1(dice: Dice) -> dict[str, str]:
    collection = [f"{number:06}" for number in dice.some(range(1, 100_000), 500)]
    queries, strangers = sorted(collection[:40]), collection[40:42]
    noticed = {
        query: dict.fromkeys(dice.some((case for case in collection if case != query), dice.whole(1, 8)), 1)
        for query in queries
    }
    asked = topics(dice, noticed | {query: {} for query in strangers}, collection)
    known = asked[: len(queries)]

    gold = {f"{query}.txt": [f"{case}.txt" for case in cases] for query, cases in noticed.items()}
    twice = next(cases for cases in gold.values() if len(cases) == 4)
    twice.append(twice[1])

    bm25 = top(search(dice, known, skill=1.2), 5)
    silent = dice.some(queries, 3)
    dense = top(search(dice, asked, skill=1.6), 6)
    rows = [
        f"{query}.txt\t{hit.document}.txt\tdense"
        for query, hits in dense.items()
        if query not in silent
        for hit in hits
    ]
    for at in (100, 30):
        rows.insert(at + 2, rows[at])
    rerank = confident(search(dice, known, skill=2.1), margin=1.0, most=8)
    return {
        "gold.json": json_lists(gold),
        "bm25.txt": lines(*three_columns(bm25, "bm25")),
        "dense.txt": "\r\n".join(rows),
        "rerank.json": json_lists(
            {f"{query}.txt": [f"{hit.document}.txt" for hit in hits] for query, hits in rerank.items()}
        ),
    }


def task2(dice: Dice) -> dict[str, str]:
    entailing: dict[str, dict[str, int]] = {}
    asked: list[Topic] = []
    for query in map(str, range(827, 857)):
        paragraphs = [f"{number:03}" for number in range(1, dice.whole(20, 60))]
        entailing[query] = dict.fromkeys(sorted(dice.some(paragraphs, 1 + dice.chance(0.4) + dice.chance(0.2))), 1)
        asked += topics(dice, {query: entailing[query]}, paragraphs)
    mono = top(search(dice, asked, skill=1.9), 1)
    rules = confident(search(dice, asked, skill=1.3), margin=0.4, most=3)
    return {
        "gold.json": json_lists(
            {query: ", ".join(f"{number}.txt" for number in numbers) for query, numbers in entailing.items()}
        ),
        "mono.txt": lines(*three_columns(mono, "mono")),
        "rules.csv": lines(*(row.replace(" ", ",") for row in three_columns(rules, "rules"))),
    }


# Tasks 3 to 5


class Statement(NamedTuple):
    """What an examination asks: right or wrong?"""

    english: str
    japanese: str
    label: bool
    articles: tuple[str, ...]


def question_ids(dice: Dice, year: str, n: int, number: str = "{:02}") -> list[str]:
    """Ids such as ``R06-01-A``; a question has one or two parts."""
    ids: list[str] = []
    question = 0
    while len(ids) < n:
        question += 1
        parts = dice.some("AIUEO", dice.whole(1, 2))
        ids += [f"{year}-{number.format(question)}-{part}" for part in sorted(parts, key="AIUEO".index)]
    return ids[:n]


def civil_code(dice: Dice) -> list[str]:
    """The numbers of all articles: those of ``LAW``, and others of which nothing but the number is known."""
    branches = ("121-3", "398-3", "398-10", "398-21", "424-2", "424-4", "466-3", "466-4", "587-2", "591-2")
    plain = [number for number in map(str, range(1, 725)) if number not in LAW]
    return [*LAW, *branches, *dice.some(plain, 190)]


def statute_topics(dice: Dice, questions: Mapping[str, Statement]) -> list[Topic]:
    return topics(
        dice, {query: dict.fromkeys(asked.articles, 1) for query, asked in questions.items()}, civil_code(dice)
    )


def dataset(pairs: Iterable[str]) -> str:
    return lines('<?xml version="1.0" encoding="UTF-8"?>', "<dataset>", *pairs, "</dataset>")


def pair(query: str, label: bool, body: str, quote: str = '"') -> str:
    return f"<pair id={quote}{query}{quote} label={quote}{yes_no(label)}{quote}>\n{body}\n</pair>"


def statements() -> list[Statement]:
    """All that rest on an article."""
    return [
        Statement(english, japanese, label, (number, *article.related))
        for number, article in LAW.items()
        for label, (english, japanese) in ((True, article.right), (False, article.wrong))
    ]


def task3_2025(dice: Dice) -> dict[str, str]:
    questions = dict(zip(question_ids(dice, "R06", 30), dice.some(statements(), 30), strict=True))
    asked = statute_topics(dice, questions)
    pairs = []
    for query, question in questions.items():
        t1 = "\n".join(LAW[number].english for number in question.articles)
        pairs.append(pair(query, question.label, f"<t1>\n{escape(t1)}\n</t1>\n<t2>\n{escape(question.english)}\n</t2>"))
    alpha = search(dice, asked, skill=2.2)
    beta = search(dice, asked, skill=1.5)
    sure = confident(beta, margin=0.8, most=3)
    return {
        "gold.xml": dataset(pairs),
        "task3.ALPHA": lines(*six_columns(confident(alpha, margin=0.7, most=3), "ALPHA")),
        "task3-L.ALPHA": lines(
            "/* ALPHA, long list: 100 articles a question, best first */", *six_columns(top(alpha, 100), "ALPHA")
        ),
        "task3.BETA": lines(
            *(
                f"{query} Q0 {hit.document} {rank} 1.0 BETA"
                for query, hits in sure.items()
                for rank, hit in enumerate(hits, start=1)
            )
        ),
        "task3-L.BETA": lines(
            *(
                f"{query} Q0 {hit.document} {rank} {101 - rank} BETA"
                for query, hits in top(beta, 100).items()
                for rank, hit in enumerate(hits, start=1)
            )
        ),
    }


def questions_of_2026() -> dict[str, Statement]:
    """The same for Tasks 3 and 4; two rest on no article."""
    dice = Dice()
    asked = [*dice.some(statements(), 28), *AT_LARGE]
    return dict(zip(question_ids(dice, "R07", 30), dice.some(asked, 30), strict=True))


def task3(dice: Dice) -> dict[str, str]:
    questions = questions_of_2026()
    asked = statute_topics(dice, questions)
    labels = {query: question.label for query, question in questions.items()}
    single_quoted = dice.some(questions, 4)
    pairs = []
    for query, question in questions.items():
        articles = "".join(f"<article>{number}</article>\n" for number in question.articles)
        body = f"{articles}<t2>{escape(question.english)}</t2>"
        pairs.append(pair(query, question.label, body, quote="'" if query in single_quoted else '"'))
    alpha = confident(search(dice, asked, skill=2.3), margin=1.2, most=5)
    beta = top(search(dice, asked, skill=1.6), 10)
    silent = dice.some(questions, 2)
    answered = {query: label for query, label in answers(dice, labels, wrong=9).items() if query not in silent}
    return {
        "gold.xml": dataset(pairs),
        "task3.ALPHA": lines(*six_columns(alpha, "ALPHA")),
        "answers.ALPHA": lines(*label_lines(answers(dice, labels, wrong=4), "ALPHA")),
        "task3.BETA": lines(*six_columns(beta, "BETA")),
        "answers.BETA": lines(*label_lines(answered, "BETA")),
    }


def task4(dice: Dice) -> dict[str, str]:
    questions = questions_of_2026()
    labels = {query: question.label for query, question in questions.items()}
    missing = "97"
    where = next(query for query, question in questions.items() if missing in question.articles)
    pairs = []
    for query, question in questions.items():
        t1 = "\n".join(
            f"[MISSING ARTICLE {number}]" if (query, number) == (where, missing) else LAW[number].japanese
            for number in question.articles
        )
        pairs.append(pair(query, question.label, f"<t1>{escape(t1)}</t1>\n<t2>{escape(question.japanese)}</t2>"))
    beta = answers(dice, labels, wrong=11)
    return {
        "gold.xml": dataset(pairs),
        "ALPHA.txt": lines(*label_lines(answers(dice, labels, wrong=5), "ALPHA")),
        "BETA.txt": lines(*(f"{query} {label}" for query, label in beta.items())),
    }


def task5(dice: Dice) -> dict[str, str]:
    queries = question_ids(dice, "R02", 30, number="{}")
    right = dice.some(queries, 13)
    labels = {query: query in right for query in queries}
    return {
        "gold.txt": lines(*(f"{query}\t{yes_no(label)}" for query, label in labels.items())),
        "ALPHA.txt": lines(*label_lines(answers(dice, labels, wrong=8), "ALPHA")),
        "MAJORITY.txt": lines(*label_lines(dict.fromkeys(queries, False), "MAJORITY")),
    }


# the pilot


class Claim(NamedTuple):
    description: str
    is_accepted: bool


class Case(NamedTuple):
    facts: list[str]
    plaintiff: list[Claim]
    defendant: list[Claim]
    decision: bool


def tort(dice: Dice) -> dict[str, str]:
    numbers = range(25)
    one_sided = dice.some(numbers, 6)
    without_plaintiff, without_defendant = one_sided[:2], one_sided[2:]
    nothing_accepted = dice.some((number for number in numbers if number not in one_sided), 4)
    won = dice.some((number for number in numbers if number not in nothing_accepted), 12)

    def claims(side: Iterable[str], medium: str, accepted: float) -> list[Claim]:
        return [Claim(text.format(medium), dice.chance(accepted)) for text in dice.some(side, dice.whole(1, 3))]

    cases = []
    for number in numbers:
        medium, *facts = SETTINGS[number % len(SETTINGS)]
        decision = number in won
        often, seldom = (0.0, 0.0) if number in nothing_accepted else (0.75, 0.3)
        plaintiff = claims(PLAINTIFF, medium, often if decision else seldom)
        defendant = claims(DEFENDANT, medium, seldom if decision else often)
        cases.append(
            Case(
                facts[-dice.whole(1, 2) :],
                [] if number in without_plaintiff else plaintiff,
                [] if number in without_defendant else defendant,
                decision,
            )
        )
    return {
        "gold.jsonl": tort_lines(cases),
        "ALPHA.jsonl": tort_lines(guessed(dice, cases, wrong_decisions=4, wrong_claims=0.15)),
        "BETA.jsonl": tort_lines(guessed(dice, cases, wrong_decisions=9, wrong_claims=0.35)),
    }


def guessed(dice: Dice, cases: Sequence[Case], wrong_decisions: int, wrong_claims: float) -> list[Case]:
    mistaken = dice.some(range(len(cases)), wrong_decisions)

    def guess(claims: Iterable[Claim]) -> list[Claim]:
        return [claim._replace(is_accepted=claim.is_accepted != dice.chance(wrong_claims)) for claim in claims]

    return [
        Case(case.facts, guess(case.plaintiff), guess(case.defendant), case.decision != (number in mistaken))
        for number, case in enumerate(cases)
    ]


def tort_lines(cases: Iterable[Case]) -> str:
    return lines(
        *(
            json.dumps(
                {
                    "version": "1.0",
                    "tort_id": str(number),
                    "undisputed_facts": [{"id": str(i), "description": fact} for i, fact in enumerate(case.facts)],
                    "plaintiff_claims": [{"id": str(i), **claim._asdict()} for i, claim in enumerate(case.plaintiff)],
                    "defendant_claims": [{"id": str(i), **claim._asdict()} for i, claim in enumerate(case.defendant)],
                    "court_decision": case.decision,
                }
            )
            for number, case in enumerate(cases)
        )
    )


# plain TREC


def trec(dice: Dice) -> dict[str, str]:
    collection = [f"d{number:03}" for number in sorted(dice.some(range(1, 1000), 300))]
    relevance = {
        f"q{number}": {document: dice.whole(1, 3) for document in dice.some(collection, dice.whole(2, 9))}
        for number in range(1, 21)
    }
    asked = topics(dice, relevance, collection)
    qrels = []
    for topic in asked:
        # what looks relevant was pooled and judged too, or left unjudged
        pool = sorted(topic.appeal, key=lambda document: (-topic.appeal[document], document))[:16]
        rest = {document: -dice.chance(0.15) for document in pool if document not in topic.relevance}
        grades = {**topic.relevance, **rest}
        qrels += [f"{topic.query} 0 {document} {grades[document]}" for document in sorted(grades)]
    bm25 = top(search(dice, asked, skill=0.5), 50)
    missing = dice.pick(relevance)
    dense = top(search(dice, (topic for topic in asked if topic.query != missing), skill=0.8), 50)
    return {
        "qrels.txt": lines(*qrels),
        "bm25.run": lines(*(row.replace(" ", "\t") for row in six_columns(bm25, "bm25"))),
        "dense.run": lines(
            *(
                f"{query} Q0 {hit.document} {rank} {hit.score / 12:.2f} dense"
                for query, hits in dense.items()
                for rank, hit in enumerate(hits, start=1)
            )
        ),
    }


# the invented texts


class Article(NamedTuple):
    """An article of an invented code, with a right and a wrong statement about it, in English and Japanese."""

    english: str
    japanese: str
    right: tuple[str, str]
    wrong: tuple[str, str]
    #: the articles that must be read with it
    related: tuple[str, ...] = ()


LAW = {
    "7": Article(
        "(Promises by Letter)\n"
        "Article 7 A person who has reached the age of sixteen may make a promise by letter, if the letter is read "
        "aloud before a witness.",
        "（手紙による約束）\n第七条　十六歳に達した者は、証人の前で読み上げた手紙により約束をすることができる。",
        (
            "A letter of a seventeen-year-old that was read aloud before a witness may contain a valid promise.",
            "十七歳の者の手紙であって証人の前で読み上げられたものは、有効な約束を含むことができる。",
        ),
        (
            "A promise by letter is valid even if the letter was read aloud before no one.",
            "手紙による約束は、手紙が誰の前でも読み上げられなかったときでも、有効である。",
        ),
    ),
    "11": Article(
        "(Objects Left Behind by Guests)\n"
        "Article 11 A host shall give back an object that a guest left behind as soon as the guest asks for it, "
        "against payment of the cost of keeping it.",
        "（客の忘れ物）\n"
        "第十一条　宿の主人は、客の求めがあれば、保管の費用と引換えに、忘れ物を直ちに返さなければならない。",
        (
            "A guest who asks for an umbrella left behind may be asked for the cost of keeping it.",
            "忘れた傘の返還を求める客は、保管の費用の支払を求められることがある。",
        ),
        (
            "A host who has kept an object for a month becomes its owner.",
            "宿の主人は、忘れ物を一か月保管したときは、その所有者となる。",
        ),
    ),
    "32": Article(
        "(Borrowed Tools)\n"
        "Article 32 (1) The borrower of a tool shall return it clean and by the day agreed upon.\n"
        "(2) If no day was agreed upon, the lender may ask for the tool after thirty days.",
        "（借りた道具）\n第三十二条　道具の借主は、約束の日までに、これを清掃して返さなければならない。\n"
        "２　約束の日がないときは、貸主は、三十日を過ぎた後に道具の返還を求めることができる。",
        (
            "If no day was agreed upon, the lender of a saw may ask for it after forty days.",
            "約束の日がないときは、のこぎりの貸主は、四十日の後にその返還を求めることができる。",
        ),
        (
            "The borrower of a ladder may return it dirty, provided that it is returned by the day agreed upon.",
            "はしごの借主は、約束の日までに返すのであれば、汚れたまま返すことができる。",
        ),
    ),
    "96": Article(
        "(Promises under a Storm Warning)\n"
        "Article 96 (1) A promise made while a storm warning is in force may be taken back until the third day "
        "after the warning ends.\n"
        "(2) Whoever takes a promise back shall repay what the other party spent in reliance on it.",
        "（暴風警報中の約束）\n第九十六条　暴風警報の間にした約束は、警報の終わった後三日目まで取り戻すことができる。\n"
        "２　約束を取り戻す者は、相手方が約束を信じて費やしたものを償わなければならない。",
        (
            "A sale agreed upon under a storm warning may be taken back on the day after the warning ends.",
            "暴風警報の間にした売買は、警報の終わった翌日に取り戻すことができる。",
        ),
        (
            "Whoever takes back a promise made under a storm warning owes the other party nothing.",
            "暴風警報の間にした約束を取り戻す者は、相手方に何も償わなくてよい。",
        ),
    ),
    "97": Article(
        "Article 97 A notice posted on the gate of a house is received on the seventh day, unless rain has made it "
        "illegible before.",
        "第九十七条　家の門に貼った知らせは、雨で読めなくなったときを除き、七日目に届いたものとする。",
        (
            "A notice on a gate that could still be read on the seventh day has been received.",
            "七日目になお読むことのできた門の知らせは、届いたものとされる。",
        ),
        (
            "A notice posted on a gate is received at the moment of posting.",
            "門に貼った知らせは、貼った時に届いたものとされる。",
        ),
    ),
    "121-2": Article(
        "(Restitution after a Promise Is Taken Back)\n"
        "Article 121-2 If a promise is taken back pursuant to Article 96, paragraph (1), by a notice as referred to in "
        "Article 97, each party shall return what it received, except fruit eaten in season.",
        "（取り戻した後の返還）\n"
        "第百二十一条の二　第九十六条第一項の規定により第九十七条の知らせをもって約束を取り戻したときは、"
        "各当事者は、旬に食べた果実を除き、受け取ったものを返さなければならない。",
        (
            "A buyer who takes a purchase back after a storm by a notice on the seller's gate need not replace the "
            "cherries eaten in season.",
            "嵐の後に売主の門に知らせを貼って買物を取り戻した買主は、旬に食べたさくらんぼを返さなくてよい。",
        ),
        (
            "If a promise made under a storm warning is taken back by a notice on a gate, both parties keep what they "
            "received.",
            "暴風警報の間にした約束を門の知らせにより取り戻したときは、双方とも受け取ったものを返さなくてよい。",
        ),
        ("96", "97"),
    ),
    "177": Article(
        "(Boats)\nArticle 177 A boat used on a lake changes hands when the harbor office enters the buyer in its book.",
        "（舟）\n第百七十七条　湖で用いる舟は、港の役所が買主を帳簿に記した時に、買主のものとなる。",
        (
            "The buyer of a boat used on a lake becomes its owner by the entry in the harbor office's book.",
            "湖で用いる舟の買主は、港の役所の帳簿への記載により所有者となる。",
        ),
        (
            "The buyer of a boat used on a lake becomes its owner on paying the price, whatever the book says.",
            "湖で用いる舟の買主は、帳簿にかかわらず、代金を払った時に所有者となる。",
        ),
    ),
    "213": Article(
        "(Trees on a Boundary)\n"
        "Article 213 (1) Neighbors share the fruit of a tree on their boundary equally.\n"
        "(2) A neighbor who alone watered the tree all summer may keep two thirds of the fruit.",
        "（境界の木）\n第二百十三条　隣人は、境界にある木の果実を等しく分ける。\n"
        "２　夏の間一人で木に水をやった隣人は、果実の三分の二を取ることができる。",
        (
            "A neighbor who alone watered a plum tree on the boundary all summer may keep two thirds of the plums.",
            "境界の梅の木に夏の間一人で水をやった隣人は、梅の三分の二を取ることができる。",
        ),
        (
            "The fruit of a tree on a boundary belongs to the neighbor who planted it.",
            "境界にある木の果実は、木を植えた隣人のものとなる。",
        ),
    ),
    "304": Article(
        "(Shared Wells)\n"
        "Article 304 The users of a shared well pay for its repair in proportion to the water each drew in the past "
        "year.",
        "（共同の井戸）\n第三百四条　共同の井戸の使用者は、前年に汲んだ水の量に応じて、その修理の費用を払う。",
        (
            "A user who drew twice as much water as another in the past year pays twice as much for the well's repair.",
            "前年に他の者の二倍の水を汲んだ使用者は、井戸の修理の費用を二倍払う。",
        ),
        (
            "All users of a shared well pay for its repair in equal parts.",
            "共同の井戸の使用者は、等しい割合でその修理の費用を払う。",
        ),
    ),
    "398-2": Article(
        "(Pledge of a Future Harvest)\n"
        "Article 398-2 A future harvest may be pledged for any debts of a farmer up to an amount that the deed states.",
        "（将来の収穫の質入れ）\n"
        "第三百九十八条の二　将来の収穫は、証書に記した額まで、農家のすべての借りのために質に入れることができる。",
        (
            "The deed by which a farmer pledges a future harvest has to state an amount.",
            "農家が将来の収穫を質に入れる証書には、額を記さなければならない。",
        ),
        (
            "A harvest can be pledged only after it has been brought in.",
            "収穫は、取り入れた後でなければ質に入れることができない。",
        ),
    ),
    "398-20": Article(
        "Article 398-20\n"
        "A pledge pursuant to Article 398-2 no longer extends to debts that arise after the last cart has left the "
        "field.",
        "第三百九十八条の二十　第三百九十八条の二の質は、最後の荷車が畑を出た後に生じた借りには及ばない。",
        (
            "A pledge of a future harvest does not extend to a debt that arises after the last cart has left the "
            "field.",
            "将来の収穫の質は、最後の荷車が畑を出た後に生じた借りには及ばない。",
        ),
        (
            "A pledge of a future harvest extends to all debts of the calendar year, whenever the harvest is "
            "brought in.",
            "将来の収穫の質は、取入れの時期を問わず、その年のすべての借りに及ぶ。",
        ),
        ("398-2",),
    ),
    "415": Article(
        "(Late Deliveries)\n"
        "Article 415(1)If a supplier delivers late, the price falls by one hundredth for each day.\n"
        "(2)The preceding paragraph does not apply to days on which the authorities had closed the road.",
        "（遅い配達）\n第四百十五条　納入者の配達が遅れたときは、代金は、一日につき百分の一ずつ下がる。\n"
        "２　前項の規定は、役所が道を閉じた日には適用しない。",
        (
            "The price of goods delivered five days late falls by five hundredths, if the road was open.",
            "五日遅れて配達された品物の代金は、道が開いていたときは、百分の五下がる。",
        ),
        (
            "The price of late goods falls even for days on which the authorities had closed the road.",
            "遅れた品物の代金は、役所が道を閉じた日についても下がる。",
        ),
    ),
    "424-3": Article(
        "(Gifts of a Debtor)\n"
        "Article 424-3 Creditors may reclaim a gift that the debtor made in the ten days before ceasing to pay, "
        "unless it was a customary wedding gift.",
        "（債務者の贈り物）\n"
        "第四百二十四条の三　債権者は、債務者が支払をやめる前の十日間にした贈り物を、慣例の結婚祝いを除き、"
        "取り返すことができる。",
        (
            "Creditors may not reclaim a customary wedding gift made two days before the debtor ceased to pay.",
            "債権者は、債務者が支払をやめる二日前にした慣例の結婚祝いを取り返すことができない。",
        ),
        (
            "Creditors may reclaim every gift that the debtor made in the year before ceasing to pay.",
            "債権者は、債務者が支払をやめる前の一年間にしたすべての贈り物を取り返すことができる。",
        ),
    ),
    "466-2": Article(
        "(Disputed Keys)\n"
        "Article 466-2 If two guests ask for the same key and Article 11 applies, the host may hand the key to the "
        "district office and is then free of the duty to give it back.",
        "（争いのある鍵）\n"
        "第四百六十六条の二　二人の客が同じ鍵を求め、第十一条の規定が適用されるときは、宿の主人は、"
        "鍵を区の役所に渡して、返す義務を免れることができる。",
        (
            "A host of whom two guests ask the same key left behind may hand it to the district office.",
            "二人の客から同じ忘れ物の鍵を求められた宿の主人は、これを区の役所に渡すことができる。",
        ),
        (
            "A host of whom two guests ask the same key left behind has to have a second one made.",
            "二人の客から同じ忘れ物の鍵を求められた宿の主人は、二本目を作らせなければならない。",
        ),
        ("11",),
    ),
    "537": Article(
        "(Music at Festivals)\n"
        "Article 537(1)If a festival is called off, the band that was hired for it keeps half of its fee.\n"
        "(2)The band shall play on another day without a further fee, if it is asked within a month.",
        "（祭りの音楽）\n第五百三十七条　祭りが取りやめになったときは、雇われた楽隊は、報酬の半分を保つ。\n"
        "２　楽隊は、一か月以内に求められたときは、新たな報酬なしに他の日に演奏しなければならない。",
        (
            "A band hired for a festival that is called off keeps half of its fee.",
            "取りやめになった祭りのために雇われた楽隊は、報酬の半分を保つ。",
        ),
        (
            "A band hired for a festival that is called off may ask for a new fee when it plays two weeks later "
            "instead.",
            "取りやめになった祭りのために雇われた楽隊は、二週間後に代わりに演奏するとき、"
            "新たな報酬を求めることができる。",
        ),
    ),
    "545": Article(
        "Article 545 In the case of Article 537, paragraph (1), costumes lent to the band shall be returned within "
        "a week.",
        "第五百四十五条　第五百三十七条第一項の場合には、楽隊に貸した衣装は、一週間以内に返さなければならない。",
        (
            "A band keeps half of its fee, but not the costumes lent to it, if the festival is called off.",
            "祭りが取りやめになったときは、楽隊は、報酬の半分を保つが、借りた衣装は保たない。",
        ),
        (
            "Costumes lent to a band may be kept until the band has played on another day.",
            "楽隊に貸した衣装は、楽隊が他の日に演奏するまで保つことができる。",
        ),
        ("537",),
    ),
    "566": Article(
        "Article 566 A buyer who finds woodworm in furniture within two winters may have the price lowered; Article "
        "415, paragraph (1), determines by how much, a worm hole counting as a day.",
        "第五百六十六条　二冬のうちに家具に木食い虫を見つけた買主は、代金を下げさせることができる。下げる額は、"
        "虫の穴一つを一日とみなし、第四百十五条第一項の規定により定める。",
        (
            "The price of a table in which the buyer finds three worm holes in the first winter falls by three "
            "hundredths.",
            "買主が最初の冬に三つの虫の穴を見つけた机の代金は、百分の三下がる。",
        ),
        (
            "The buyer of a table may have the price lowered for woodworm found after five winters.",
            "机の買主は、五冬の後に見つけた木食い虫を理由に、代金を下げさせることができる。",
        ),
        ("415",),
    ),
    "612": Article(
        "(Animals of Lodgers)\n"
        "Article 612 A lodger may keep a cat if the landlord agrees; a landlord who says nothing for two weeks agrees.",
        "（下宿人の動物）\n"
        "第六百十二条　下宿人は、家主の承諾を得て猫を飼うことができる。家主が二週間何も言わないときは、"
        "承諾したものとする。",
        (
            "A lodger may keep a cat if the landlord, asked for leave, says nothing for three weeks.",
            "家主が承諾を求められて三週間何も言わないときは、下宿人は、猫を飼うことができる。",
        ),
        (
            "A lodger needs no one's leave to keep a cat.",
            "下宿人は、誰の承諾もなしに猫を飼うことができる。",
        ),
    ),
    "709": Article(
        "Article 709 Whoever breaks something of another's with a kite shall have it mended.",
        "第七百九条　凧で他人の物を壊した者は、これを直させなければならない。",
        (
            "A child's kite breaks a window: whoever flew it has the window mended.",
            "子供の凧が窓を割ったときは、凧を揚げた者は、窓を直させなければならない。",
        ),
        (
            "The owner of a thing that a kite broke has it mended at his or her own expense.",
            "凧が壊した物は、その物の所有者の費用で直す。",
        ),
    ),
    "715": Article(
        "(Kite Clubs)\n"
        "Article 715 A club in whose colors a kite is flown is liable beside the person referred to in Article 709, "
        "unless it had forbidden flying on that day.",
        "（凧の会）\n"
        "第七百十五条　その色の凧が揚げられた会は、その日に凧揚げを禁じていたときを除き、"
        "第七百九条に規定する者とともに責任を負う。",
        (
            "A club that had forbidden flying on a day need not mend what a kite in its colors broke on it.",
            "ある日に凧揚げを禁じていた会は、その日に会の色の凧が壊した物を直させなくてよい。",
        ),
        (
            "If a kite is flown in a club's colors, only the club has to mend what it breaks.",
            "会の色の凧が揚げられたときは、会のみが、凧の壊した物を直させなければならない。",
        ),
        ("709",),
    ),
}

AT_LARGE = (
    Statement(
        "A custom of the village yields to what the parties have agreed upon.",
        "村の慣習は、当事者が合意した事柄には及ばない。",
        True,
        (),
    ),
    Statement(
        "A promise made in jest, and taken as a jest, binds the one who made it.",
        "戯れにされ、戯れと受け取られた約束は、約束をした者を拘束する。",
        False,
        (),
    ),
)

#: what was published, and two facts
SETTINGS = (
    ("review", "The plaintiff runs a bakery.", "The defendant reviewed the plaintiff's bread on a map service."),
    (
        "post",
        "The plaintiff coaches a chess club.",
        "The defendant posted about the plaintiff on the forum of a rival club.",
    ),
    (
        "leaflet",
        "The plaintiff sells bicycles.",
        "The defendant handed out leaflets about the plaintiff at the station.",
    ),
    ("video", "The plaintiff grooms dogs.", "The defendant put a video of the plaintiff's shop online."),
    (
        "column",
        "The plaintiff sits on a town council.",
        "The defendant wrote a column on the plaintiff for a local paper.",
    ),
    ("comment", "The plaintiff paints murals.", "The defendant commented on a photograph of the plaintiff's work."),
    ("poster", "The plaintiff teaches the violin.", "The defendant hung a poster about the plaintiff in a music shop."),
)

PLAINTIFF = (
    "The {} lowers the plaintiff's good name.",
    "The {} states as a fact what is untrue.",
    "The {} makes a private address known.",
    "The {} cost the plaintiff customers.",
    "Readers can tell whom the {} means.",
    "The defendant refused to withdraw the {}.",
)

DEFENDANT = (
    "The {} is an opinion and says so.",
    "The {} is true in what matters.",
    "The {} serves the public interest.",
    "The {} was withdrawn within two days.",
    "No one could tell whom the {} means.",
    "The defendant did not make the {}.",
)


if __name__ == "__main__":
    main()
