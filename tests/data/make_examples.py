"""Makes the example data in ``coliee_ir/examples``: ``python tests/data/make_examples.py [FOLDER]``.

Everything is invented: the law, the cases, the people. The result is the same to the byte on every Python from 3.11:
of ``random`` only ``random()`` is used, whose sequence Python promises to keep, no logarithm or sine, and no
``sum`` of floats, which Python 3.12 made more exact.
"""

import json
import random
import sys
import tomllib
from collections import namedtuple
from pathlib import Path
from xml.sax.saxutils import escape

SEED = 2026
SHIPPED = Path(__file__).parents[2] / "coliee_ir" / "examples"


def make(folder):
    """Write all files, one folder a task. Each task has its own dice, so that a change to one leaves the others."""
    for make_task in (task1, task2, task3_2025, task3, task4, task5, tort, trec):
        task, files = make_task.__name__.replace("_", "-"), make_task(Dice())
        (folder / task).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / task / name).write_bytes(text.encode("utf-8"))


class Dice:
    """Chance, made of nothing but ``random()``."""

    def __init__(self):
        self._random = random.Random(SEED).random

    def whole(self, low, high):
        """A whole number from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, probability):
        return self._random() < probability

    def noise(self):
        """A number from 0 to 3, mostly near 1.5."""
        return self._random() + self._random() + self._random()

    def some(self, items, n):
        """So many different items, in any order."""
        rest = list(items)
        return [rest.pop(self.whole(0, len(rest) - 1)) for _ in range(n)]


# systems


#: a query, and what a system may find for it: document → relevance, of the relevant ones; document → how relevant it
#: looks to any system, of the whole collection
Topic = namedtuple("Topic", "query relevance appeal")
Hit = namedtuple("Hit", "document score")


def topics(dice, relevance, collection):
    return [
        Topic(query, relevant, {document: dice.noise() for document in collection if document != query})
        for query, relevant in relevance.items()
    ]


def search(dice, asked, skill):
    """The whole collection, best first, as a system ranks it that adds its skill to the score of what is relevant."""
    rankings = {}
    for query, relevance, appeal in asked:
        hits = [Hit(one, skill * relevance.get(one, 0) + looks + dice.noise()) for one, looks in appeal.items()]
        rankings[query] = sorted(hits, key=lambda hit: (-hit.score, hit.document))
    return rankings


def top(rankings, n):
    return {query: hits[:n] for query, hits in rankings.items()}


def confident(rankings, margin, most):
    """The first document, and up to ``most`` in all that score nearly as high."""
    return {
        query: [hit for hit in hits[:most] if hit.score >= hits[0].score - margin] for query, hits in rankings.items()
    }


def answers(dice, labels, wrong):
    """The labels with so many of them wrong."""
    mistaken = dice.some(labels, wrong)
    return {query: label != (query in mistaken) for query, label in labels.items()}


# files


def lines(*rows):
    return "".join(f"{row}\n" for row in rows)


def json_lists(members):
    """A JSON object with one member a line."""
    rows = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in members.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def three_columns(rankings, tag, form="{} {} {}"):
    return lines(*(form.format(query, hit.document, tag) for query, hits in rankings.items() for hit in hits))


def six_columns(rankings, tag, score=None):
    """TREC's lines; without a score, that of the system with two places and falling strictly, so that nothing ties."""
    rows = []
    for query, hits in rankings.items():
        points = None
        for rank, hit in enumerate(hits, start=1):
            points = min(round(400 * hit.score), 1 << 30 if points is None else points - 1)
            shown = score(rank, hit) if score else f"{points // 100}.{points % 100:02}"
            rows.append(f"{query} Q0 {hit.document} {rank} {shown} {tag}")
    return lines(*rows)


def label_lines(labels, tag):
    return lines(*(f"{query} {yes_no(label)} {tag}" for query, label in labels.items()))


def yes_no(label):
    return "Y" if label else "N"


# Tasks 1 and 2


def task1(dice):
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
    dense = {query: hits for query, hits in top(search(dice, asked, skill=1.6), 6).items() if query not in silent}
    rows = three_columns(dense, "dense", "{}.txt\t{}.txt\t{}").splitlines()
    for at in (100, 30):
        rows.insert(at + 2, rows[at])
    rerank = confident(search(dice, known, skill=2.1), margin=1.0, most=8)
    reranked = {f"{query}.txt": [f"{hit.document}.txt" for hit in hits] for query, hits in rerank.items()}
    return {
        "gold.json": json_lists(gold),
        "bm25.txt": three_columns(bm25, "bm25"),
        "dense.txt": "\r\n".join(rows),
        "rerank.json": json_lists(reranked),
    }


def task2(dice):
    entailing, asked = {}, []
    for query in map(str, range(827, 857)):
        paragraphs = [f"{number:03}" for number in range(1, dice.whole(20, 60))]
        entailing[query] = dict.fromkeys(sorted(dice.some(paragraphs, 1 + dice.chance(0.4) + dice.chance(0.2))), 1)
        asked += topics(dice, {query: entailing[query]}, paragraphs)
    gold = {query: ", ".join(f"{number}.txt" for number in numbers) for query, numbers in entailing.items()}
    mono = top(search(dice, asked, skill=1.9), 1)
    rules = confident(search(dice, asked, skill=1.3), margin=0.4, most=3)
    return {
        "gold.json": json_lists(gold),
        "mono.txt": three_columns(mono, "mono"),
        "rules.csv": three_columns(rules, "rules", "{},{},{}"),
    }


# Tasks 3 to 5


#: what an examination asks: right or wrong?
Statement = namedtuple("Statement", "english japanese label articles")


def question_ids(dice, year, n, number="{:02}"):
    """Ids such as ``R06-01-A``; a question has one or two parts."""
    ids, question = [], 0
    while len(ids) < n:
        question += 1
        parts = dice.some("AIUEO", dice.whole(1, 2))
        ids += [f"{year}-{number.format(question)}-{part}" for part in sorted(parts, key="AIUEO".index)]
    return ids[:n]


def civil_code(dice):
    """The numbers of all articles: those of ``LAW``, and others of which nothing but the number is known."""
    branches = ("121-3", "398-3", "398-10", "398-21", "424-2", "424-4", "466-3", "466-4", "587-2", "591-2")
    plain = [number for number in map(str, range(1, 725)) if number not in LAW]
    return [*LAW, *branches, *dice.some(plain, 190)]


def statute_topics(dice, questions):
    relevance = {query: dict.fromkeys(asked.articles, 1) for query, asked in questions.items()}
    return topics(dice, relevance, civil_code(dice))


def dataset(pairs):
    return lines('<?xml version="1.0" encoding="UTF-8"?>', "<dataset>", *pairs, "</dataset>")


def pair(query, label, body, quote='"'):
    return f"<pair id={quote}{query}{quote} label={quote}{yes_no(label)}{quote}>\n{body}\n</pair>"


def statements():
    """All that rest on an article."""
    return [
        Statement(english, japanese, label, (number, *article.related))
        for number, article in LAW.items()
        for label, (english, japanese) in ((True, article.right), (False, article.wrong))
    ]


def task3_2025(dice):
    questions = dict(zip(question_ids(dice, "R06", 30), dice.some(statements(), 30), strict=True))
    asked = statute_topics(dice, questions)
    pairs = []
    for query, question in questions.items():
        t1 = "\n".join(LAW[number].english for number in question.articles)
        pairs.append(pair(query, question.label, f"<t1>\n{escape(t1)}\n</t1>\n<t2>\n{escape(question.english)}\n</t2>"))
    alpha, beta = search(dice, asked, skill=2.2), search(dice, asked, skill=1.5)
    return {
        "gold.xml": dataset(pairs),
        "task3.ALPHA": six_columns(confident(alpha, margin=0.7, most=3), "ALPHA"),
        "task3-L.ALPHA": "/* ALPHA, long list: 100 articles a question, best first */\n"
        + six_columns(top(alpha, 100), "ALPHA"),
        "task3.BETA": six_columns(confident(beta, margin=0.8, most=3), "BETA", lambda rank, hit: "1.0"),
        "task3-L.BETA": six_columns(top(beta, 100), "BETA", lambda rank, hit: 101 - rank),
    }


def questions_of_2026():
    """The same for Tasks 3 and 4; two rest on no article."""
    dice = Dice()
    asked = [*dice.some(statements(), 28), *AT_LARGE]
    return dict(zip(question_ids(dice, "R07", 30), dice.some(asked, 30), strict=True))


def task3(dice):
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
        "task3.ALPHA": six_columns(alpha, "ALPHA"),
        "answers.ALPHA": label_lines(answers(dice, labels, wrong=4), "ALPHA"),
        "task3.BETA": six_columns(beta, "BETA"),
        "answers.BETA": label_lines(answered, "BETA"),
    }


def task4(dice):
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
        "ALPHA.txt": label_lines(answers(dice, labels, wrong=5), "ALPHA"),
        "BETA.txt": lines(*(f"{query} {label}" for query, label in beta.items())),
    }


def task5(dice):
    queries = question_ids(dice, "R02", 30, number="{}")
    right = dice.some(queries, 13)
    labels = {query: query in right for query in queries}
    return {
        "gold.txt": lines(*(f"{query}\t{yes_no(label)}" for query, label in labels.items())),
        "ALPHA.txt": label_lines(answers(dice, labels, wrong=8), "ALPHA"),
        "MAJORITY.txt": label_lines(dict.fromkeys(queries, False), "MAJORITY"),
    }


# the pilot

PARTIES = ("plaintiff_claims", "defendant_claims")


def tort(dice):
    numbers = range(25)
    one_sided = dice.some(numbers, 6)
    without = {"plaintiff_claims": one_sided[:2], "defendant_claims": one_sided[2:]}
    nothing_accepted = dice.some((number for number in numbers if number not in one_sided), 4)
    won = dice.some((number for number in numbers if number not in nothing_accepted), 12)

    def claims(side, medium, accepted):
        chosen = dice.some(side, dice.whole(1, 3))
        return numbered({"description": text.format(medium), "is_accepted": dice.chance(accepted)} for text in chosen)

    cases = []
    for number in numbers:
        medium, *facts = SETTINGS[number % len(SETTINGS)]
        often, seldom = (0.0, 0.0) if number in nothing_accepted else (0.75, 0.3)
        chances = (often, seldom) if number in won else (seldom, often)
        made = [claims(side, medium, of) for side, of in zip((PLAINTIFF, DEFENDANT), chances, strict=True)]
        facts = numbered({"description": fact} for fact in facts[-dice.whole(1, 2) :])
        case = {"version": "1.0", "tort_id": str(number), "undisputed_facts": facts}
        case |= {of: [] if number in without[of] else of_party for of, of_party in zip(PARTIES, made, strict=True)}
        cases.append({**case, "court_decision": number in won})
    return {
        "gold.jsonl": lines(*map(json.dumps, cases)),
        "ALPHA.jsonl": lines(*guessed(dice, cases, wrong_decisions=4, wrong_claims=0.15)),
        "BETA.jsonl": lines(*guessed(dice, cases, wrong_decisions=9, wrong_claims=0.35)),
    }


def numbered(items):
    return [{"id": str(i), **item} for i, item in enumerate(items)]


def guessed(dice, cases, wrong_decisions, wrong_claims):
    mistaken = dice.some(range(len(cases)), wrong_decisions)
    for number, case in enumerate(cases):
        guess = {"court_decision": case["court_decision"] != (number in mistaken)}
        for of in PARTIES:
            guess[of] = [{**one, "is_accepted": one["is_accepted"] != dice.chance(wrong_claims)} for one in case[of]]
        yield json.dumps(case | guess)


# plain TREC


def trec(dice):
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
    missing = dice.some(relevance, 1)[0]
    dense = top(search(dice, (topic for topic in asked if topic.query != missing), skill=0.8), 50)
    return {
        "qrels.txt": lines(*qrels),
        "bm25.run": six_columns(bm25, "bm25").replace(" ", "\t"),
        "dense.run": six_columns(dense, "dense", lambda rank, hit: f"{hit.score / 12:.2f}"),
    }


# the invented texts


#: an article of an invented code, a right and a wrong statement about it in English and Japanese, and the articles
#: that must be read with it
Article = namedtuple("Article", "english japanese right wrong related", defaults=[()])

TEXTS = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))
LAW = {number: Article(**article) for number, article in TEXTS["law"].items()}
AT_LARGE = [Statement(**statement, articles=()) for statement in TEXTS["at_large"]]
SETTINGS, PLAINTIFF, DEFENDANT = TEXTS["settings"], TEXTS["plaintiff"], TEXTS["defendant"]


if __name__ == "__main__":
    make(Path(sys.argv[1]) if sys.argv[1:] else SHIPPED)
