"""Wrong commands as people type them: each is refused with a kind, and its remedy names what to type instead."""

import shutil
from pathlib import Path

import pytest
from asserting import failing
from example_runs import EXAMPLES

# command │ kind │ what the remedy names
WRONG = """
evaluate gold.json bm25.txt --top 5 │ usage │ -m MicroF1@5
evaluate gold.json bm25.txt --meassure AP │ usage │ --measure
evaluate gold.json bm25.txt --run dense.txt │ usage │ without an option
evaluate gold.json bm25.txt -m AP Rprec -q │ usage │ -m A -m B
evaluate gold.json bm25.txt --exclude 1 --exclude 2 │ usage │ write q1,q2
evaluate gold.json bm25.txt --by-year │ usage │ --show years
evaluate gold.json bm25.txt --unanswered skip │ usage │ --decision unanswered=skip
evaluate gold.json bm25.txt -M 100 │ usage │ --by k=100
evaluate gold.json │ usage │ RUN
evaluate bm25.txt gold.json │ unknown-format │ swap
evaluate bm25.txt dense.txt │ unknown-format │ the gold first
evaluate four.xml samples.csv │ conflicting │ --aggregate vote
evaluate gold.json words.txt │ columns │ validate RUN --fix OUT
evaluate gold.json gold.json bm25.txt │ named-twice │ --gold
evaluate gold.json bm25.txt --task Task1 │ usage │ did you mean 1?
compare gold.json bm25.txt dense.txt --alpha 0.01 │ usage │ --confidence-level 0.99
tune gold.json bm25.txt --by k --candidates gold.json │ named-twice │ no longer the system's
validate bm25.txt --fix │ usage │ --fix OUT
 │ usage │ it comes first
evalute gold.json bm25.txt │ usage │ evaluate
compare gold.json bm25.txt │ too-few │ two
report gold.json bm25.txt │ option-needed │ -o
cut gold.json bm25.txt │ usage │ tune
cut bm25.txt --topk 3 │ usage │ --by k=3
cut bm25.txt --by k=2.5 │ bad-value │ integer
cut bm25.run --by score=900 │ no-result │ another score scale
cut bm25.txt --by score=0.5 │ unfit-option │ no scores
tune gold.json bm25.txt -m AP │ unfit-measure │ MicroF
fuse bm25.txt dense.txt --k 5 │ usage │ --top 5, or --rrf-k 5
fuse bm25.txt dense.txt --alpha 0.3 │ usage │ --weights 0.3,0.7
fuse bm25.txt dense.txt --method combsum --rrf-k 5 │ unfit-option │ --norm
fuse bm25.txt bm25.txt --fit gold.json --save w.json │ ambiguous │ another tag
convert bm25.txt │ usage │ OUT
convert gold.json x.csv │ ambiguous │ --to qrels
convert bm25.txt dense.txt x.txt │ duplicate │ fuse
convert bm25.txt out --format=json │ usage │ --to?
evaluate gold.json --extra-queries=wrong │ usage │ --decision extra_queries=wrong?
evaluate gold.json bm25.txt --decision unanswered │ usage │ choose one of zero, skip
evaluate -c gold.json bm25.txt │ usage │ --decision unanswered=skip
evaluate gold.json bm25.txt -a │ usage │ -m all_trec
evaluate --qrels gold.json bm25.txt │ usage │ the gold is named first
evaluate gold.json bm25.txt --task 4 │ wrong-task │ change --task [wrong-task]
convert three.csv x.txt --to labels │ wrong-part │ --labels Y=
evaluate gold.json bm25.txt --only pairs │ ambiguous │ pairs, line 1:
compare gold.json bm25.txt dense.txt --confidence-level 1 │ usage │ greater than 0 and less than 1
compare gold.json bm25.txt dense.txt --lower-is-better AP │ unfit-option │ tables of scores
leaderboard gold.json bm25.txt -m AP -m P_5 │ ambiguous │ names 2: AP, P_5
evaluate gold.json bm25.txt --show gap=3 │ usage │ only stages does
evaluate gold.json bm25.txt --show gap -q │ option-conflict │ without -q
evaluate gold.json bm25.txt --task 1 --protocol 1 │ usage │ leave out --task
evaluate gold.json bm25.txt -o page.html │ file-name │ does not write html
""".strip().splitlines()


@pytest.fixture
def there(tmp_path, monkeypatch):
    for name in ("task1/gold.json", "task1/bm25.txt", "task1/dense.txt", "trec/bm25.run"):
        shutil.copy(EXAMPLES / name, tmp_path)
    shutil.copy(EXAMPLES / "task4/gold.xml", tmp_path / "four.xml")
    monkeypatch.chdir(tmp_path)
    Path("three.csv").write_text("question,verdict\nR07-01-A,right\n")
    Path("words.txt").write_text("002473 026639 my run 1\n")
    Path("pairs").write_text("000001 000002\n000003 000004\n")
    Path("samples.csv").write_text("query_id,sample,answer\nR07-01-A,0,Y\nR07-01-A,1,N\nR07-01-A,0,Y\n")


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_is_told_what_to_type(line, call, there):
    command, kind, names = map(str.strip, line.split("│"))
    before = {path.name for path in Path().iterdir()}
    err = failing(call, *command.split())
    assert f"[{kind}]" in err and names in err, err
    assert {path.name for path in Path().iterdir()} == before
