"""Wrong commands as people type them: each is refused with a kind, and its remedy names what to type instead."""

import shutil
from pathlib import Path

import pytest
from asserting import failing
from example_runs import EXAMPLES

# command │ kind │ what the remedy names
WRONG = """
evaluate gold.json bm25.txt --top 5 │ usage │ -m MicroF1@5
evaluate gold.json bm25.txt --metric AP │ usage │ -m
evaluate gold.json bm25.txt --meassure AP │ usage │ --measure
evaluate gold.json bm25.txt --run dense.txt │ usage │ without an option
evaluate gold.json bm25.txt -m AP Rprec -q │ usage │ -m A -m B
evaluate gold.json bm25.txt --exclude 1 --exclude 2 │ usage │ write q1,q2
evaluate gold.json a.csv --columns answer=a --columns answer=b │ bad-value │ a and b
evaluate gold.json bm25.txt --by-year │ usage │ --show years
evaluate gold.json bm25.txt --unanswered skip │ usage │ --decision unanswered=skip
evaluate gold.json bm25.txt -M 100 │ usage │ --by k=100
evaluate gold.json │ usage │ RUN
evaluate bm25.txt gold.json │ unknown-format │ swap
evaluate bm25.txt dense.txt │ unknown-format │ the gold first
evaluate gold.json bm25.txt --columns id=x │ unknown-name │ query=
evaluate four.xml samples.csv │ conflicting │ --aggregate vote
evaluate gold.json words.txt │ columns │ validate RUN --fix OUT
evaluate gold.json gold.json bm25.txt │ named-twice │ --gold
evaluate four.xml four.xml │ unknown-format │ a gold, and not a run
evaluate gold.json bm25.txt --by k=5 │ usage │ an option of tune, cut
evaluate gold.json bm25.txt --task Task1 │ usage │ did you mean 1?
compare gold.json bm25.txt dense.txt --alpha 0.01 │ usage │ --confidence-level 0.99
tune gold.json bm25.txt --by k --candidates gold.json │ named-twice │ no longer the system's
tune gold.json bm25.txt --by k=5 │ unknown-name │ cut RUN --by k=5
validate bm25.txt --fix │ usage │ --fix OUT
 │ usage │ it comes first
evalute gold.json bm25.txt │ usage │ evaluate
compare gold.json bm25.txt │ too-few │ two
report gold.json bm25.txt │ option-needed │ -o
cut gold.json bm25.txt │ usage │ tune
cut bm25.txt dense.txt --by k=1 │ usage │ one run
cut bm25.txt --topk 3 │ usage │ --by k=3
cut bm25.txt --by depth=5 │ unknown-name │ did you mean k?
cut bm25.txt --by threshold=5 │ unknown-name │ did you mean score?
cut bm25.txt --by 5 │ bad-value │ k=5
cut bm25.txt --by k=2.5 │ bad-value │ integer
cut bm25.txt --by k=0 │ no-result │ --by k=5
cut bm25.run --by score=900 │ no-result │ another score scale
cut bm25.txt --by score=0.5 │ unfit-option │ no scores
cut bm25.txt │ option-needed │ --by
cut bm25.txt --by k=2 -o x.md │ file-name │ csv, tsv
tune gold.json bm25.txt -m AP │ unfit-measure │ MicroF
fuse bm25.txt dense.txt --k 5 │ usage │ --top 5, or --rrf-k 5
validate a --columns query=id │ unfit-option │ name its files
fuse bm25.txt dense.txt --alpha 0.3 │ usage │ --weights 0.3,0.7
fuse bm25.txt dense.txt --weights 0.3 │ bad-value │ 2 runs
fuse bm25.txt dense.txt --method combsum --rrf-k 5 │ unfit-option │ --norm
fuse bm25.txt │ too-few │ two runs
fuse bm25.txt bm25.txt --fit gold.json --save w.json │ ambiguous │ another tag
fuse bm25.txt dense.txt --save w.json │ option-needed │ --fit
bundle codabench gold.json │ option-needed │ -o FILE
evaluate gold.json a b --task 3 --answers a │ bad-value │ one for each run
bundle codabench gold.json -o gold.json │ would-overwrite │ gold.json
fuse bm25.txt dense.txt --weights 0.5,x │ bad-value │ 0.5,x
compare scores.csv --only q99 │ unknown-query │ q99
evaluate gold.json bm25.txt -m Accuracy@10 │ unfit-measure │ Success@10
fuse bm25.txt dense.txt --seed 0 │ option-needed │ --seed needs --fit
fuse bm25.txt dense.txt --folds 0 │ option-needed │ --folds needs --fit
convert bm25.txt │ usage │ OUT
convert bm25.txt dense.txt --to columns │ would-overwrite │ name the file to write
convert bm25.txt x.xlsx │ file-name │ .csv
convert gold.json x.csv │ ambiguous │ --to qrels
convert bm25.txt dense.txt x.txt │ duplicate │ fuse
evaluate gold.json bm25.txt --labels Yes,No │ bad-value │ Y=
convert bm25.txt out --format=json │ usage │ --to?
evaluate gold.json bm25.txt --to csv │ usage │ -f?
evaluate gold.json --extra-queries=wrong │ usage │ --decision extra_queries=wrong?
evaluate gold.json bm25.txt --decision unanswered │ usage │ choose one of zero, skip
evaluate gold.json bm25.txt --show gaps │ usage │ gap?
evaluate -c gold.json bm25.txt │ usage │ --decision unanswered=skip
evaluate -l 2 gold.json bm25.txt │ usage │ AP(rel=2)
evaluate -l2 gold.json bm25.txt │ usage │ AP(rel=2)
evaluate gold.json bm25.txt -a │ usage │ -m all_trec
evaluate --qrels gold.json bm25.txt │ usage │ the gold is named first
evaluate gold.json bm25.txt --answers bm25.txt │ wrong-task │ leave out --answers
evaluate gold.json bm25.txt --task 4 │ wrong-task │ change --task [wrong-task]
convert three.csv x.txt --to labels │ wrong-part │ --labels Y=
evaluate gold.json bm25.txt --only pairs │ ambiguous │ pairs, line 1:
evaluate gold.json bm25.txt --only odd │ structure │ odd, line 2:
compare gold.json bm25.txt dense.txt --resamples 0 │ usage │ an integer ≥ 1
compare gold.json bm25.txt dense.txt --confidence-level 1 │ usage │ greater than 0 and less than 1
compare gold.json bm25.txt dense.txt --lower-is-better AP │ unfit-option │ tables of scores
compare scores.csv --task 1 │ unfit-option │ task is for a gold and runs
leaderboard gold.json bm25.txt -m AP -m P_5 │ ambiguous │ names 2: AP, P_5
tune gold.json bm25.txt --folds few │ usage │ a number of folds, or year
evaluate gold.json bm25.txt --show gap=3 │ usage │ only stages does
evaluate gold.json bm25.txt --show gap -q │ option-conflict │ without -q
evaluate gold.json bm25.txt --ties -f trec │ option-conflict │ as trec
evaluate gold.json bm25.txt --corpus a │ option-needed │ --errors FILE
evaluate gold.json bm25.txt --task 1 --protocol 1 │ usage │ leave out --task
evaluate gold.json bm25.txt --protocol 1 --protocol 2 │ usage │ each names a task
evaluate gold.json bm25.txt -o page.html │ file-name │ does not write html
measures --edition 2025 │ option-needed │ needs --protocol
""".strip().splitlines()


@pytest.fixture
def there(tmp_path, monkeypatch):
    for name in ("task1/gold.json", "task1/bm25.txt", "task1/dense.txt", "trec/bm25.run"):
        shutil.copy(EXAMPLES / name, tmp_path)
    for name, other in (("task2/gold.json", "two.json"), ("task2/mono.txt", "two.txt"), ("task4/gold.xml", "four.xml"),
                        ("task4/ALPHA.txt", "answers.txt")):  # fmt: skip
        shutil.copy(EXAMPLES / name, tmp_path / other)
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        Path(folder).mkdir()
        shutil.copy("bm25.txt", Path(folder, "run.txt"))
    Path("three.csv").write_text("question,verdict\nR07-01-A,right\n")
    Path("words.txt").write_text("002473 026639 my run 1\n")
    Path("pairs").write_text("000001 000002\n000003 000004\n")
    Path("scores.csv").write_text("run,query,AP\na,1,0.5\na,2,0.4\nb,1,0.7\nb,2,0.6\n")
    Path("odd").write_text("000001\n000002 x\n")
    Path("samples.csv").write_text("query_id,sample,answer\nR07-01-A,0,Y\nR07-01-A,1,N\nR07-01-A,0,Y\n")


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_is_told_what_to_type(line, call, there):
    command, kind, names = map(str.strip, line.split("│"))
    before = {path.name for path in Path().iterdir()}
    err = failing(call, *command.split())
    assert f"[{kind}]" in err and names in err, err
    assert {path.name for path in Path().iterdir()} == before
