"""Published figures come out of generated files that have the published counts.

The figures are those of the organisers' tables: COLIEE 2021 (overview paper and Task tables), 2024 (result tables), and
what coliee.md, 5, gathers of 2021, 2023 and 2026. Where only P, R and F1 are published, counts that fit are searched.
"""

import csv
import json
import random
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from published import ACCURACIES


# from counts to files
def write_case_law(correct, retrieved, relevant, queries):
    """A gold in JSON and a run of three columns that have these counts, spread over the queries by chance."""
    chance = random.Random(0)
    names = [f"{n:06}" for n in range(1, queries + 1)]
    owners = names + chance.choices(names, k=relevant - queries)
    relations = [(query, f"{n:06}") for n, query in enumerate(owners, start=1000)]
    wrong = chance.choices(names, k=retrieved - correct)
    lines = [
        *chance.sample(relations, correct),
        *((query, f"{n:06}") for n, query in enumerate(wrong, start=100_000)),
    ]
    gold = {query: [f"{document}.txt" for owner, document in relations if owner == query] for query in names}
    Path("gold.json").write_text(json.dumps(gold))
    Path("run.txt").write_text("".join(f"{query} {document} T\n" for query, document in sorted(lines)))


def write_statute(kinds):
    """A gold in XML, and an answer set of articles: how many are correct, retrieved and relevant, and how often."""
    questions = [kind for kind, n in kinds.items() for _ in range(n)]
    golds, answers = [], []
    for number, (correct, retrieved, relevant) in enumerate(questions, start=1):
        query = f"R02-{number}-A"
        articles = [str(n) for n in range(1, relevant + 1)]
        golds.append(f'<pair id="{query}" label="Y">{"".join(f"<article>{a}</article>" for a in articles)}</pair>')
        returned = articles[:correct] + [str(n) for n in range(500, 500 + retrieved - correct)]
        answers += [f"{query} Q0 {a} {at} {1 / at} T\n" for at, a in enumerate(returned, start=1)]
    Path("gold.xml").write_text("\n".join(["<dataset>", *golds, "</dataset>"]))
    Path("task3.T").write_text("".join(answers))


def printed(call, *words):
    """The row of the table that the command prints, by its header."""
    header, row = (line.split() for line in call("evaluate", *words)[1].splitlines())
    return dict(zip(header, row, strict=True))


def exact(call, *words):
    header, row = csv.reader(StringIO(call("evaluate", *words, "-f", "csv")[1]))
    return {name: float(value) for name, value in zip(header[1:], row[1:], strict=True)}


# Tasks 1 and 2: run, F1, P, R as printed
TASK_1_OF_2024 = """
TQM task1_test_answer_2024_run1.txt     0.4432 0.5057 0.3944
YR task1_yr_run1.json                   0.3605 0.3210 0.4110
BM24 task1_test_result.txt              0.1878 0.1495 0.2522
NOWJ nowjtask1run1.txt                  0.1224 0.0813 0.2478
UBCS run3.txt                           0.0276 0.0140 0.7196
CAPTAIN captain_bm25.txt                0.0019 0.0019 0.0019
"""

TASK_2_OF_2024 = """
AMHR amhr.mt53bk2r.txt                  0.6512 0.6364 0.6667
CAPTAIN captainfs2.txt                  0.6360 0.7281 0.5646
CAPTAIN captainzs2.txt                  0.6235 0.7700 0.5238
OVGU 2ovgurun1.txt                      0.5962 0.5636 0.6327
MIG task2.mig3.json                     0.1364 0.0979 0.2245
"""

# the only table that truncates
TASK_2_OF_2021 = """
NM Run-Task2-DebertaT5.txt              0.6912 0.7500 0.6410
NM Run-Task2-monoT5.txt                 0.6610 0.6554 0.6666
"""

TASK_2_OF_2023 = "CAPTAIN mt5l-ed 0.7456 0.7870 0.7083"


def rounded(value):
    return f"{float(value):.4f}"


def truncated(value):
    # to nine places first: 0.75 must not become 0.7499
    return f"{int(round(float(value), 9) * 10_000) / 10_000:.4f}"


def counts_of(f1, p, r, relevant, shown):
    """How many documents are correct and how many retrieved, where the scores are shown as these."""
    for correct in range(relevant + 1):
        if shown(Fraction(correct, relevant)) != r:
            continue
        least, most = (int(correct / (float(p) + margin)) for margin in (2e-4, -2e-4))
        for retrieved in range(max(least, correct), most + 2):
            if (shown(correct / retrieved), shown(2 * correct / (retrieved + relevant))) == (p, f1):
                return correct, retrieved
    raise AssertionError(f"no counts fit {f1} {p} {r}")


@pytest.mark.parametrize(
    ("edition", "task", "queries", "relevant", "shown", "row"),
    [
        (*of_table, row)
        for *of_table, table in (
            (2024, 1, 400, 1562, rounded, TASK_1_OF_2024),
            (2024, 2, 100, 147, rounded, TASK_2_OF_2024),
            (2021, 2, 100, 117, truncated, TASK_2_OF_2021),
            (2023, 2, 100, 120, rounded, TASK_2_OF_2023),
        )
        for row in table.strip().splitlines()
    ],
)
def test_published_precision_recall_and_f1_come_out(edition, task, queries, relevant, shown, row, here, call):
    names, published = ["MicroF1", "MicroP", "MicroR"], row.split()[2:]
    correct, retrieved = counts_of(*published, relevant, shown)
    write_case_law(correct, retrieved, relevant, queries)
    typed = ("gold.json", "run.txt", "--task", task, "--edition", edition)
    if shown is rounded:
        assert printed(call, *typed) == dict(zip(("run", *names), ("T", *published), strict=True))
    [told] = json.loads(call("evaluate", *typed, "-f", "json")[1])["runs"]
    assert [shown(told["measures"][name]) for name in names] == published
    assert told["counts"] == {"correct": correct, "retrieved": retrieved, "relevant": relevant}
    assert told["queries"]["judged"] == queries


def test_published_f2_come_out_and_f2_of_the_means_is_another_number_than_the_official_one(here, call):
    write_statute({(1, 1, 1): 49, (0, 2, 1): 7, (1, 3, 1): 4, (1, 6, 1): 4, (0, 2, 2): 7, (2, 3, 2): 7, (0, 0, 3): 3})
    values = exact(call, "gold.xml", "task3.T", "--edition", 2021, "-m", "MacroF2 MacroF(beta=2,of=means)")
    assert [f"{value:.3f}" for value in values.values()] == ["0.743", "0.767"]
    write_statute({(1, 1, 1): 56, (1, 1, 2): 18, (0, 1, 1): 27})  # right and half right of 2023
    assert printed(call, "gold.xml", "task3.T", "--edition", 2023)["MacroF2"] == "0.6535"


def test_published_accuracies_come_out(here, call):
    for row in ACCURACIES.strip().splitlines():
        edition, task, _, right, total, accuracy = row.split()
        questions = range(int(total))
        Path("gold.txt").write_text("".join(f"R02-{n}-A {'YN'[n % 2]}\n" for n in questions))
        Path("run.txt").write_text("".join(f"R02-{n}-A {'YN'[(n + (n >= int(right))) % 2]} T\n" for n in questions))
        value = exact(call, "gold.txt", "run.txt", "--task", task, "--edition", edition)["Accuracy"]
        assert f"{value:.{len(accuracy) - 2}f}" == accuracy, row


@pytest.mark.parametrize(("run", "right", "accuracy"), [("NOWJ_run1", 78, "0.951"), ("DU2", 65, "0.793")])
@pytest.mark.parametrize("wrong_labels", [0, 2, 4])
def test_accuracies_with_sufficient_articles_of_2026_come_out(run, right, accuracy, wrong_labels, here, call):
    # all questions have two articles; those that are not right lack an article, or have them all and the wrong label
    insufficient = 82 - right - wrong_labels
    write_statute({(2, 2, 2): right + wrong_labels, (1, 80, 2): insufficient})
    labels = ["Y"] * right + ["N"] * wrong_labels + ["Y"] * insufficient
    Path("answers.T").write_text("".join(f"R02-{n}-A {label} T\n" for n, label in enumerate(labels, start=1)))
    values = exact(call, "gold.xml", "task3.T", "--answers", "answers.T", "--edition", 2026)
    assert f"{values['Accuracy']:.3f}" == accuracy
    assert values["LabelAccuracy"] == (82 - wrong_labels) / 82
