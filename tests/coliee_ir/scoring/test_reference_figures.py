"""Published figures come out of generated files that have the published counts.

The figures are those of the organisers' tables: COLIEE 2021 (overview paper and Task tables), 2024 (result tables), and
what coliee.md, 5, gathers of 2021, 2023 and 2026. Where only P, R and F1 are published, counts that fit are searched.
"""

import csv
import json
import random
from collections.abc import Callable
from fractions import Fraction
from io import StringIO
from typing import NamedTuple

import pytest
from published import ACCURACIES

from coliee_ir.cli import main

# from counts to files


class Counts(NamedTuple):
    correct: int
    retrieved: int
    relevant: int
    queries: int


def write_case_law(folder, counts, seed=0):
    """A gold in JSON and a run of three columns that have these counts, spread over the queries by chance."""
    chance = random.Random(seed)
    queries = [f"{n:06}" for n in range(1, counts.queries + 1)]
    owners = queries + chance.choices(queries, k=counts.relevant - counts.queries)
    relations = [(query, f"{n:06}") for n, query in enumerate(owners, start=1000)]
    found = chance.sample(relations, counts.correct)
    wrong = chance.choices(queries, k=counts.retrieved - counts.correct)
    lines = [*found, *((query, f"{n:06}") for n, query in enumerate(wrong, start=100_000))]
    chance.shuffle(lines)
    gold = {query: [] for query in queries}
    for query, document in relations:
        gold[query].append(f"{document}.txt")
    (folder / "gold.json").write_text(json.dumps(gold))
    (folder / "run.txt").write_text("".join(f"{query} {document} T\n" for query, document in sorted(lines)))
    return [str(folder / "gold.json"), str(folder / "run.txt")]


def write_statute(folder, kinds):
    """A gold in XML, and an answer set of articles."""
    questions = [kind for kind, n in kinds.items() for _ in range(n)]
    golds, answers = [], []
    for number, (correct, retrieved, relevant) in enumerate(questions, start=1):
        query = f"R02-{number}-A"
        articles = [str(n) for n in range(1, relevant + 1)]
        golds.append(f'<pair id="{query}" label="Y">{"".join(f"<article>{a}</article>" for a in articles)}</pair>')
        returned = articles[:correct] + [str(n) for n in range(500, 500 + retrieved - correct)]
        answers += [f"{query} Q0 {a} {at} {1 / at} T" for at, a in enumerate(returned, start=1)]
    texts = {"gold.xml": ["<dataset>", *golds, "</dataset>"], "task3.T": answers}
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [str(folder / name) for name in texts]


def write_labels(folder, right, total):
    questions = [(f"R02-{n}-A", "YN"[n % 2]) for n in range(total)]
    gold = [f"{query} {label}" for query, label in questions]
    run = [f"{query} {label if n < right else 'NY'['YN'.index(label)]} T" for n, (query, label) in enumerate(questions)]
    for name, lines in (("gold.txt", gold), ("run.txt", run)):
        (folder / name).write_text("\n".join(lines) + "\n")
    return [str(folder / "gold.txt"), str(folder / "run.txt")]


def printed(arguments, capsys):
    """The row of the table that the command prints, by its header."""
    assert main(["evaluate", *arguments]) == 0
    header, row = (line.split() for line in capsys.readouterr().out.splitlines())
    return dict(zip(header, row, strict=True))


def exact(arguments, capsys):
    assert main(["evaluate", *arguments, "-f", "csv"]) == 0
    header, row = csv.reader(StringIO(capsys.readouterr().out))
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


class Published(NamedTuple):
    """P, R and F1 of an official table, whose test set has so many queries and relevant documents."""

    edition: int
    task: str
    run: str
    queries: int
    relevant: int
    f1: str
    p: str
    r: str
    shown: Callable[[Fraction | float], str]

    def counts(self):
        """Counts that have these scores."""
        for correct in range(self.relevant + 1):
            if self.shown(Fraction(correct, self.relevant)) != self.r:
                continue
            least, most = (int(correct / (float(self.p) + margin)) for margin in (2e-4, -2e-4))
            for retrieved in range(max(least, correct), most + 2):
                f1 = Fraction(2 * correct, retrieved + self.relevant)
                if (self.shown(Fraction(correct, retrieved)), self.shown(f1)) == (self.p, self.f1):
                    return Counts(correct, retrieved, self.relevant, self.queries)
        raise AssertionError(f"no counts fit {self}")


def published():
    for edition, task, queries, relevant, table, shown in (
        (2024, "1", 400, 1562, TASK_1_OF_2024, rounded),
        (2024, "2", 100, 147, TASK_2_OF_2024, rounded),
        (2021, "2", 100, 117, TASK_2_OF_2021, truncated),
        (2023, "2", 100, 120, TASK_2_OF_2023, rounded),
    ):
        for row in table.strip().splitlines():
            team, run, f1, p, r = row.split()
            yield Published(edition, task, f"{team} {run}", queries, relevant, f1, p, r, shown)


@pytest.mark.parametrize("row", list(published()), ids=lambda row: f"{row.edition} T{row.task} {row.run}")
def test_published_precision_recall_and_f1_come_out(row, tmp_path, capsys):
    counts = row.counts()
    options = [*write_case_law(tmp_path, counts), "--task", row.task, "--edition", str(row.edition)]
    if row.shown is rounded:
        assert printed(options, capsys) == {"run": "T", "MicroF1": row.f1, "MicroP": row.p, "MicroR": row.r}
    assert main(["evaluate", *options, "-f", "json"]) == 0
    [told] = json.loads(capsys.readouterr().out)["runs"]
    assert [row.shown(told["measures"][name]) for name in ("MicroF1", "MicroP", "MicroR")] == [row.f1, row.p, row.r]
    assert told["counts"] == {"correct": counts.correct, "retrieved": counts.retrieved, "relevant": counts.relevant}
    assert told["queries"]["judged"] == counts.queries


def test_f2_of_the_means_is_another_number_than_the_official_one(tmp_path, capsys):
    kinds = {(1, 1, 1): 49, (0, 2, 1): 7, (1, 3, 1): 4, (1, 6, 1): 4, (0, 2, 2): 7, (2, 3, 2): 7, (0, 0, 3): 3}
    gold, run = write_statute(tmp_path, kinds)
    values = exact([gold, run, "--edition", "2021", "-m", "MacroF2 MacroF(beta=2,of=means)"], capsys)
    assert [f"{value:.3f}" for value in values.values()] == ["0.743", "0.767"]


def test_fifty_six_right_and_eighteen_half_right_of_2023_come_out(tmp_path, capsys):
    gold, run = write_statute(tmp_path, {(1, 1, 1): 56, (1, 1, 2): 18, (0, 1, 1): 27})
    assert printed([gold, run, "--edition", "2023"], capsys)["MacroF2"] == "0.6535"


def test_published_accuracies_come_out(tmp_path, capsys):
    for row in ACCURACIES.strip().splitlines():
        edition, task, _, right, total, accuracy = row.split()
        files = write_labels(tmp_path, int(right), int(total))
        value = exact([*files, "--task", task, "--edition", edition], capsys)["Accuracy"]
        assert f"{value:.{len(accuracy) - 2}f}" == accuracy, row


@pytest.mark.parametrize(("run", "right", "accuracy"), [("NOWJ_run1", 78, "0.951"), ("DU2", 65, "0.793")])
@pytest.mark.parametrize("wrong_labels", [0, 2, 4])
def test_accuracies_with_sufficient_articles_of_2026_come_out(run, right, accuracy, wrong_labels, tmp_path, capsys):
    # all questions have two articles; those that are not right lack an article, or have them all and the wrong label
    insufficient = 82 - right - wrong_labels
    gold, articles = write_statute(tmp_path, {(2, 2, 2): right + wrong_labels, (1, 80, 2): insufficient})
    answers = tmp_path / "answers.T"
    labels = ["Y"] * right + ["N"] * wrong_labels + ["Y"] * insufficient
    answers.write_text("".join(f"R02-{n}-A {label} T\n" for n, label in enumerate(labels, start=1)))
    values = exact([gold, articles, "--answers", str(answers), "--edition", "2026"], capsys)
    assert f"{values['Accuracy']:.3f}" == accuracy
    assert values["LabelAccuracy"] == (82 - wrong_labels) / 82
