"""Reports: their numbers are those of evaluate, nothing breaks out of the page, and figures are written."""

import csv
import importlib.util
import json
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import one_step
import pytest
from asserting import begins, done, failing, heard, matches, mentions, refusing
from example_runs import EXAMPLES, SHOWN, shown
from parsed_page import Parsed, data_in

import coliee_ir
from coliee_adapters.errors import UsageError
from coliee_ir.commands.report.drawing import on_page, on_paper, svg_of, write_figures
from coliee_ir.commands.report.overview import overview
from coliee_ir.commands.report.page import drawn, unbroken

pytestmark = pytest.mark.usefixtures("one_deal")


#: what is on the page of every task, and what only where it makes sense
ALWAYS = {"scores", "differences", "queries"}
BESIDES = {**{task: {"cutoffs", "tuning"} for task in ("1", "2", "3", "3 of 2025")}, "trec": {"cutoffs"}}
#: of which the others are variants
USUAL = ("1", "3", "4", "tort")


@pytest.fixture
def made(call, tmp_path):
    """A page that the command made, and what it printed on standard error."""

    def make(*words):
        path = tmp_path / "r.html"
        _, err = done(call, "report", *words, "--resamples", "99", "-o", path)
        return path.read_text(encoding="utf-8"), err

    return make


@pytest.fixture(scope="module")
def of_task1():
    return one_step.report(*shown("1"), n_resamples=99, command="coliee-ir report")


@pytest.fixture(scope="module")
def page(of_task1):
    return of_task1.to_html()


def run_of(documents, tag):
    return coliee_ir.Run.of(documents, tag=tag, path=f"{tag}.txt")


# numbers


@pytest.mark.parametrize(
    "name", [name if name in USUAL else pytest.param(name, marks=pytest.mark.explore) for name in SHOWN]
)
def test_the_page_carries_the_json_of_evaluate(name, call, made):
    page, _ = made(*shown(name))
    expected = json.loads(call("evaluate", *shown(name), "-f", "json", "-q")[1])
    del expected["inputs"]
    expected["gold"] = Path(expected["gold"]).name  # a page has no paths of the machine
    read = Parsed(page)
    for run in expected["runs"]:
        assert all(f"{value:.4f}" in read.text for value in run["measures"].values())
        run |= {part: Path(run[part]).name for part in ("file", "answers", "long_list") if part in run}
    assert data_in(page, "evaluation") == expected and read.open == []
    figures = {attributes["data-chart"] for _, attributes in read.elements if "data-chart" in attributes}
    assert figures == ALWAYS | BESIDES.get(name, set()) == data_in(page, "charts").keys()
    assert data_in(page, "details")["ranked"] is (name != "rationale")
    none_is_perfect = "No run scores anything on 1 of 40 queries." in read.text
    assert none_is_perfect is (name == "1")


def test_tables_intervals_differences_and_cutoffs_are_those_of_the_other_commands(of_task1):
    contents, runs = of_task1.contents, of_task1.to_dict()["runs"]
    figures, of_tag = drawn(contents), {run["tag"]: run["per_query"] for run in runs}
    queries = figures["queries"].data
    assert queries.header == ["query", "relevant", "mean", "spread", "rerank", "dense", "bm25"]
    for query, relevant, mean, spread, *values in queries.rows:
        expected = [of_tag[tag][query]["MicroF1"] for tag in ("rerank", "dense", "bm25")]
        assert [value.value for value in values] == expected and relevant.value >= 1
        assert mean.value == pytest.approx(sum(expected) / 3)
        assert spread.value == pytest.approx(max(expected) - min(expected))
    means = [row[2].value for row in queries.rows]
    assert means == sorted(means)
    comparison = one_step.compare(*shown("1"), n_resamples=99)
    intervals = dict(zip(contents.names, contents.intervals[contents.measure], strict=True))
    assert intervals == {standing.tag: standing.interval for standing in comparison.runs}
    by_pair = [{frozenset(pair.tags): pair.p for pair in each.pairs} for each in (contents.comparison, comparison)]
    assert by_pair[0] == by_pair[1]
    datasets = figures["differences"].chart["datasets"].values()
    cells = [cell for data in datasets for cell in data if "p" in cell]
    assert len(cells) == 2 * len(by_pair[0])
    assert {f"p = {cell['p']:.3f}" for cell in cells} == {cell["sure"].removesuffix(" *") for cell in cells}
    rows = {(row[0], row[1].text): (row[2].value, row[3].value) for row in figures["cutoffs"].data.rows}
    scores = coliee_ir.evaluate(*shown("1")[:2], measures=["MicroP@3", "MicroR@3", "MicroP", "MicroR"]).measures
    assert rows["bm25", "3"] == (scores["MicroP@3"], scores["MicroR@3"])
    assert rows["bm25", "as submitted"] == (scores["MicroP"], scores["MicroR"])
    tuning = contents.tunings[0]
    assert tuning.to_dict() == coliee_ir.tune(shown("1")[0], shown("1")[3], task="1").to_dict()


def test_each_query_opens_to_what_was_retrieved_missed_wrong_or_answered():
    gold = {"q1": ["d1", "d2"], "q2": ["d3"]}
    runs = {"A": {"q1": ["d1", "d9", "d2"], "q2": ["d8"]}, "B": {"q1": ["d9", "d7"]}}
    runs = [run_of(run, tag) for tag, run in runs.items()]
    details = data_in(one_step.report(gold, *runs, task="1", n_resamples=99).to_html(), "details")
    assert details["runs"] == ["A", "B"]
    names, (first, second) = [document for document, _ in details["documents"]], details["queries"]
    opened = {names[number]: (relevant, pairs) for number, relevant, *pairs in first["rows"]}
    assert opened == {"d1": (1, [0, 1]), "d2": (1, [0, 3]), "d9": (0, [0, 2, 1, 1]), "d7": (0, [1, 2])}
    assert list(opened)[:2] == ["d1", "d2"]
    assert first["counts"] == [[2, 0, 1, 0], [0, 2, 2, 0]]
    assert second["counts"] == [[0, 1, 1, 0], [0, 1, 0, 0]]
    gold = {"R07-01-O": "Y", "R07-02-O": "N", "R07-03-O": "N"}
    answers = coliee_ir.Answers({"R07-01-O": True, "R07-02-O": True}, tag="A")
    page = one_step.report(gold, answers, task="4", n_resamples=99).to_html()
    right = zip("YNN", ("Y", "Y", None), strict=True)
    assert data_in(page, "details")["queries"] == [{"label": label, "answers": [answer]} for label, answer in right]


def test_excluded_queries_and_broken_runs_are_nowhere_and_columns_have_names(call, tmp_path, made):
    (tmp_path / "broken.txt").write_text("a b c d e f g h\n")
    files = [shown("4")[0], tmp_path / "broken.txt", *shown("4")[1:]]
    options = ("--keep-going", "--exclude", "R07-01-A", "--resamples", "99")
    assert call("report", *files, *options, "-o", tmp_path / "r.html")[0] == 2
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "1 excluded" in Parsed(page).text and ">R07-01-A<" not in page
    assert len(data_in(page, "details")["queries"]) == len(coliee_ir.read_gold(shown("4")[0]).queries) - 1
    assert [run["tag"] for run in data_in(page, "evaluation")["runs"]] == ["ALPHA", "BETA"]
    (tmp_path / "gold.json").write_text('{"001": ["2"], "003": ["4"], "005": ["6"]}')
    (tmp_path / "run.tsv").write_text("a\tb\tc\n001\t2\t9\n003\t2\t9\n005\t6\t1\n")
    options = ("--columns", "query=a,document=b,score=c", "--only", "001,005", "--task", "1")
    [run] = data_in(made(tmp_path / "gold.json", tmp_path / "run.tsv", *options)[0], "evaluation")["runs"]
    assert (run["queries"]["judged"], run["measures"]["MicroF1"]) == (2, 1.0)


# what a reader sees first


def verdict_of(*arguments, **options):
    return [*one_step.report(*arguments, n_resamples=99, **options).contents.verdict()]


def test_the_page_begins_with_what_was_found(of_task1, page):
    read, tuning = Parsed(page), of_task1.contents.tunings[0]
    best, cut = of_task1.contents.verdict()
    assert best == "rerank is the best run: MicroF1 0.494 (0.42–0.57)."
    assert begins(cut, f"Cut to {tuning.rule}, it scores {tuning.held_out:.3f} (0.46–0.58)")
    assert read.text.index("rerank is the best run") < read.text.index("How good is each run") < read.text.index("Gold")
    # there is nothing to be better than
    assert verdict_of(*shown("1")[:2])[0] == "bm25: MicroF1 0.245 (0.19–0.31)."
    gold = {f"q{i}": ["d1"] for i in range(6)}
    runs = [run_of({f"q{i}": ["d1"] for i in range(n)}, f"r{n}") for n in (1, 2)]
    first, *_ = verdict_of(gold, *runs, {"q3": ["d1", "x"]}, task="1")  # which says all that is to be said of the pairs
    assert begins(first, "The best may be any of: r2, r1, run; r2 has MicroF1 0.500 (")
    whole = {f"q{i}": ["d1", "d2"] for i in range(9)}
    assert not any(letter.isdigit() for letter in verdict_of(whole, run_of(whole, "all"), task="1")[1])  # no cut gains
    runs, golds = {name: {f"q{n}": [name] for n in range(9)} for name in "ab"}, []
    for n_relevant in (0, 1):
        gold = {f"q{n}": {"a": int(n_relevant == 0), "b": n_relevant} for n in range(9)}
        golds.append(coliee_ir.evaluate_all(gold, runs, task="trec", measures=["P@1"]))
    *_, last = coliee_ir.report(golds[0], other=golds[1], n_resamples=999).contents.verdict()
    assert last == "The other gold turns 1 pair of runs round."
    alike = [run_of({"q0": ["d1"]}, f"r{n}") for n in range(4)]
    gold = {f"q{n}": ["d1"] for n in range(16)}
    assert verdict_of(gold, run_of(gold, "all"), *alike, task="1")[-1] == (
        "Not distinguishable: r0 and r1; r0 and r2; r0 and r3; 3 more."
    )


def test_a_run_has_one_colour_in_all_charts_and_ranks_are_whole(of_task1):
    names, scales = of_task1.contents.names, set()
    for figure in drawn(of_task1.contents).values():
        assert [param["value"] for param in figure.chart["params"] if param["name"] == "runs"] == [names]
        chart = json.dumps(figure.chart)
        scales |= {*re.findall(r'"color": {[^{}]*?"field": "r"[^@]*?"scale": {([^}]*)}', chart)}
        assert not re.search(r'"[+-−]0\.0+"', chart)
    assert len(scales) == 1
    ranks = drawn(of_task1.contents)["scores"].chart["hconcat"][1]["layer"][-1]["encoding"]["x"]
    assert ranks["axis"]["values"] == [1, 2, 3]
    assert '"tickMinStep": 1' in json.dumps(drawn(of_task1.contents)["tuning"].chart)  # cutoffs are whole, too


# what else can be asked for


def test_categories_titles_and_statements_are_shown_where_they_are_given(tmp_path, made):
    (tmp_path / "kinds.csv").write_text("query,category\n002473,Refugees\n007630,Refugees\n002473,Patents\n9,Patents\n")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "026639.txt").write_text("Between Her Majesty\n and others")
    (corpus / "002473.txt").write_text("A case about a patent")
    page, err = made(*shown("1")[:2], "--categories", tmp_path / "kinds.csv", "--corpus", corpus)
    details = data_in(page, "details")
    assert mentions(err, "[sheet-rows] 9 …")
    assert ["026639", "Between Her Majesty and others"] in details["documents"]
    assert details["queries"][0]["text"] == "A case about a patent"
    assert "Refugees (2)" in json.dumps(data_in(page, "charts")["categories"])
    assert " 2 categories; " in Parsed(page).text
    (tmp_path / "code.txt").write_text("(Fraud)\nArticle 96 (1) A manifestation is voidable.\nArticle 97 Next.\n")
    pair = '<pair id="H18-1-{0}" label="Y"><t1>\nArticle 96 (1) A.\n</t1><t2>Statement {0}.</t2></pair>'
    (tmp_path / "gold.xml").write_text(f"<dataset>{''.join(map(pair.format, range(1, 7)))}</dataset>")
    (tmp_path / "run.txt").write_text("".join(f"H18-1-{n} Q0 96 1 0.8 T\n" for n in range(1, 7)))
    files = [tmp_path / name for name in ("gold.xml", "run.txt")]
    for corpus, title in ((), ""), (("--corpus", tmp_path / "code.txt"), "Fraud"):
        details = data_in(made(*files, "--edition", "2025", *corpus)[0], "details")
        assert details["queries"][0]["text"] == "Statement 1."
        assert (details["documents"][0][0], title in details["documents"][0][1]) == ("96", True)


def test_one_run_needs_no_comparison_another_measure_no_tuning_and_a_baseline_leaves_its_pairs(made):
    page = Parsed(made(*shown("1")[:2], "-m", "AP MicroF1")[0])
    assert "about AP" in page.text
    assert not any(words in page.text for words in ("Where do they differ", "The best rule"))
    assert "differing" not in {a.get("value") for a in page.all("input")}
    with refusing(UsageError, "[too-few]"):
        one_step.report(*shown("1")[:2], baseline="x")
    report = one_step.report(*shown("1"), baseline="bm25", n_resamples=99, measures="AP")
    pairs = [row[:2] for row in drawn(report.contents)["differences"].data.rows]
    assert pairs == [["rerank", "bm25"], ["dense", "bm25"]]


def test_of_another_gold_a_section_has_the_tables_and_sentences_of_compare(call, tmp_path, made):
    gold, runs = EXAMPLES / "trec/qrels.txt", [EXAMPLES / "trec" / name for name in ("bm25.run", "dense.run")]
    other = tmp_path / "<i>other.txt"
    other.write_text(re.sub("(q3.*) 0$", r"\1 1", gold.read_text(), flags=re.MULTILINE))
    page = Parsed(made(gold, *runs, "-m", "AP", "--other-gold", other)[0])
    scored = [coliee_ir.evaluate_all(path, runs, measures="AP") for path in (gold, other)]
    found = coliee_ir.compare(scored[0], other=scored[1], n_resamples=99)
    assert page.open == [] and "<i>other.txt" in page.text
    assert all(sentence in page.text for sentence in found.of_golds())
    assert all(f"{run.score:.4f}" in page.text for by in found.by_gold.values() for run in by.runs)
    alone = Parsed(coliee_ir.report(scored[0]).to_html())
    assert "golds" not in {attributes.get("id") for _, attributes in alone.elements}
    path = tmp_path / "none.txt"
    for words, sentence in (([gold, runs[0], "--other-gold", other], "[too-few]"),
                            ([gold, *runs, "--other-gold", path], "…none.txt…")):  # fmt: skip
        assert mentions(failing(call, "report", *words, "-o", path), sentence)
    with refusing(UsageError, "[too-few] …"):
        coliee_ir.report(scored[0], other=scored[1][:1])
    articles = EXAMPLES / "task3-2025"  # of which the rules of 2026 rank none
    assert "[no-run]" in failing(call, "report", articles / "gold.xml", articles / "task3.ALPHA", "-o", path)


def test_what_cannot_be_chosen_or_was_not_found_has_a_page_all_the_same():
    report = one_step.report({"q1": ["d1"]}, {"q1": ["d1", "d2"]}, task="1", n_resamples=99)
    assert report.contents.tunings == [None]
    assert any(mentions(heard(remark), "… run … 5 folds …") for remark in report.contents.remarks)
    assert "no cutoff is chosen for " in heard(report.to_html())
    for run in ({"q9": ["d1"], "q1": []}, {"q1": ["d7"]}):
        gold = {"q1": ["d1"], "q2": []}
        page = Parsed(one_step.report(gold, run, {"q1": ["d1"]}, task="3", edition=2025, n_resamples=99).to_html())
        assert "1 of 1" not in page.text and page.open == []


def test_the_command_can_be_typed_again_and_gives_the_same_page(call, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    paths = [tmp_path / name / "a page.html" for name in ("here", "there")]
    for path in paths:
        path.parent.mkdir()
    call("report", *SHOWN["4"], "-o", paths[0], "--resamples", "99")
    call("report", *SHOWN["4"], "--resamples", "99", "-o", paths[1])
    first, second = (path.read_bytes() for path in paths)
    assert f"coliee-ir report {' '.join(SHOWN['4'])} --resamples 99 -o 'a page.html'" in Parsed(first.decode()).text
    assert first == second


def test_of_many_runs_the_best_are_drawn_and_all_have_ranks():
    gold = {f"q{n}": [f"d{n}", f"e{n}"] for n in range(60)}
    runs = [run_of({f"q{q}": [f"d{q}"] for q in range(n)}, f"r{n}") for n in range(1, 54)]
    report = one_step.report(gold, *runs, baseline="r1", task="1", n_resamples=99)
    page, contents, scores = report.to_html(), report.contents, report.to_dict()["runs"]
    assert contents.comparison is None  # of so many runs not even with a baseline, which is said
    assert any("compare --baseline" in remark for remark in contents.remarks)
    assert data_in(page, "details")["runs"] == contents.names[:12] == [f"r{n}" for n in range(53, 41, -1)]
    charts = data_in(page, "charts")
    assert "differences" not in charts
    assert {cell["r"] for cell in charts["queries"]["datasets"]["rows0"]} == set(range(50))
    assert [run["tag"] for run in scores] == [f"r{n}" for n in range(1, 54)]
    assert not any("per_query" in run for run in scores)
    text = Parsed(page).text
    assert all(entry.tag in text and str(entry.ranks) in text for entry in contents.board.entries)


# what is asked for wrongly


def test_what_does_not_fit_is_refused_before_anything_is_written(call, here, monkeypatch):
    for options, sentence in (
        ([], "[option-needed]"),
        (["--figures", "o", "--seed", "-1"], "[bad-value]"),
        (["--figures", "o", "--resamples", "2000000"], "[bad-value] … 100,000"),
        (["--figures", "o", "-m", "MicroG"], "[unknown-measure]"),
        (["--figures", "o", "--categories", "none.csv"], "[no-file]"),
        (["--figures", "o", "--corpus", "none"], "none"),
        (["-o", "r.pdf"], "r.pdf: [file-name]"),
    ):
        assert mentions(failing(call, "report", *shown("4")[:2], *options), sentence)
        assert not list(here.iterdir())
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("altair", "jinja2") else find(name))
    err = failing(call, "report", *shown("1"), "-o", "r.html")
    assert matches(err, "coliee-ir: a report needs altair and jinja2: pip install 'coliee-ir[report]'\n")
    for code in ("a</SCRIPT>", "<!-- a", "a\rb"):  # scripts that would end themselves
        with refusing(ValueError, "this script cannot be embedded in a page"):
            unbroken(code)


# hostile names: without blanks and semicolons, with which no id is read

HOSTILE = [
    *("=HYPERLINK(1)", "@SUM(1)", "\x1b[31m\x1b]0\x07", "</script><script>alert(1)</script>", "\u202eevil"),
    *("__proto__", "<!--", "<script>", "]]>", '"><img/src=x/onerror=alert(1)>', "'/onmouseover='alert(1)"),
    *("{{7*7}}{%raw%}", "\u2028\u2029", "\\input{/etc/passwd}%$&#_^~", "constructor", "datum.s|alert(1)", "@ink"),
    *("expr:alert(1)", "javascript:alert(1)", "url(//evil.example)", "日本語½"),
]


@pytest.fixture(scope="module")
def hostile():
    """A report in which everything that a file can name is hostile."""
    ids = [text.replace("\u202e", "") for text in HOSTILE]  # ids with an invisible character are refused
    gold = {f"{text}q": [f"{text}d", f"{text}e"] for text in ids}
    ranked = {f"{text}q": {f"{text}d": 2.0, f"{other}x": 1.0} for text, other in pairwise(ids)}
    runs = [run_of(ranked, "".join(HOSTILE[i::6])) for i in range(6)]
    return one_step.report(gold, *runs, task="1", n_resamples=9, command=" ".join(HOSTILE))


def test_a_hostile_name_is_text_on_the_page(hostile):
    hostile_page = hostile.to_html()
    hostile_page.encode()  # no lone surrogate
    read = Parsed(hostile_page)
    assert read.open == [] and not read.all("img")
    assert [attributes.get("type") for attributes in read.all("script")] == ["application/gzip"] * 3 + [None] * 2
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    assert "<!--" not in hostile_page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u2028-\u202e]", hostile_page)
    assert all(f"{text}q" in read.text for text in HOSTILE if text.isprintable())
    assert "49" not in re.findall(r"\{\{7\*7\}\}|49q", hostile_page)


#: what Vega reads as expressions, fields and addresses, and what of ours stands there
READ = ("calculate", "expr", "signal", "filter", "field", "labelExpr", "href", "url")
OURS = r"[a-z]+|datum\[order\]|(runs|questions|categories)\[(datum\.value|[0-9]+)\]"


def parts_of(value, without):
    """Key and value of all that a definition has, but under some keys."""
    entries = value.items() if isinstance(value, dict) else [("", part) for part in value]
    for key, part in entries:
        if key not in without:
            yield key, part
            yield from parts_of(part, without) if isinstance(part, dict | list) else ()


def test_a_hostile_name_is_data_in_a_chart_and_never_a_field_or_an_expression(hostile):
    for figure in drawn(hostile.contents).values():
        for key, text in parts_of(figure.chart, ("values", "datasets")):
            assert key not in READ or not isinstance(text, str) or re.fullmatch(OURS, text), text
        for _, text in parts_of(on_page(figure), ("values", "datasets", "value")):
            assert not str(text).startswith("@")


@pytest.fixture
def quick(monkeypatch):
    """Of figures, only the SVG is drawn."""
    for slow in ("svg_to_png", "svg_to_pdf"):
        monkeypatch.setattr(f"vl_convert.{slow}", lambda *_, **__: b"")


def test_a_hostile_name_is_escaped_in_figures_and_tables(hostile, tmp_path, quick):
    files = write_figures([*drawn(hostile.contents).values()][:2], tmp_path)
    assert {path.parent for path in files} == {tmp_path}
    harmless = {"svg", "defs", "linearGradient", "stop", "clipPath", "g", "path", "rect", "line", "text", "tspan"}
    for path in files:
        for element in ElementTree.parse(path).iter() if path.suffix == ".svg" else ():
            assert element.tag.rpartition("}")[2] in harmless
            assert not [name for name in element.attrib if name.startswith("on") or name.endswith("href")]
        text = path.read_text(encoding="utf-8") if path.suffix == ".csv" else ""
        cells = [cell for row in csv.reader(text.splitlines()[1:]) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "+")) or "\x1b" in cell]


# the page as a document


def test_the_page_is_one_document_in_order_with_words_for_charts_that_needs_nothing_else(page):
    read = Parsed(page)
    assert read.all("html") == [{"lang": "en"}]
    headings = [int(tag[1]) for tag, _ in read.elements if re.fullmatch("h[1-6]", tag)]
    assert (headings[0], headings.count(1)) == (1, 1)
    assert all(b <= a + 1 for a, b in pairwise(headings))
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) >= len({attributes["href"] for attributes in read.all("a")})
    assert {attributes["href"].removeprefix("#") for attributes in read.all("a")} <= {*ids}
    charts = [attributes for _, attributes in read.elements if "data-chart" in attributes]
    assert len(charts) == 5 <= len(read.all("table"))
    for attributes in charts:
        assert attributes["role"] == "img" and attributes["aria-label"] and attributes["aria-describedby"] in ids
    assert not read.all("link") and not read.values("src")
    assert "url(" not in re.findall("<style>(.*?)</style>", page, re.DOTALL)[0]
    [policy] = [a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe-eval" not in policy


# figures for a paper


def test_the_figures_are_written_in_every_form_or_not_at_all(call, tmp_path):
    folder = tmp_path / "new" / "figures"
    _, err = done(call, "report", *shown("4"), "--figures", folder, "--resamples", "99")
    assert f"{folder}: 12 files" in err
    for name in ALWAYS:
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF-")
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (folder / f"{name}.svg").read_text(encoding="utf-8")
    [head, best, *_] = csv.reader((folder / "scores.csv").read_text(encoding="utf-8").splitlines())
    assert head[:4] == ["run", "Accuracy", "Accuracy low 95%", "Accuracy high 95%"]
    assert float(best[1]) == coliee_ir.evaluate(*shown("4")[:2]).measures["Accuracy"]
    taken = tmp_path / "taken"
    (taken / "scores.svg").mkdir(parents=True)
    code, _, err = call("report", *shown("4"), "--figures", taken, "--resamples", "9")
    assert code == 2 and mentions(err, f"{taken / 'scores.svg'}: [cannot-write]")
    assert [path.name for path in taken.iterdir()] == ["scores.svg"]


def test_page_and_paper_are_drawn_from_one_definition(of_task1):
    for figure in drawn(of_task1.contents).values():
        screen, paper = on_page(figure), on_paper(figure)
        assert "var(--" in json.dumps(screen) and "var(--" not in json.dumps(paper)
        assert screen["config"] != paper["config"] and screen.keys() == paper.keys()
        assert screen["config"]["aria"] is False  # the chart as a whole has a text
        colours = re.findall(r'"domain": (\[[0-9, ]*\]), "range": (\["(?:var|@)[^]]*\])', json.dumps(screen))
        assert all(len(json.loads(runs)) == len(json.loads(of_runs)) for runs, of_runs in colours)


def test_the_overview_names_every_question_on_its_axis(quick):
    ids = [f"H{n // 10:02}-{n}-U" for n in range(110)]
    gold, runs = {query: ["1"] for query in ids}, [{query: ["1"] for query in ids[:n]} for n in (20, 60)]
    options = {"task": "3", "edition": 2025, "n_resamples": 99}
    figures = overview(one_step.leaderboard(gold, *map(run_of, runs, "AB"), **options))
    assert [(figure.name, len(figure.data.rows)) for figure in figures] == [
        ("single-easy", 20), ("single-other", 45), ("single-other-2", 45)]  # fmt: skip
    texts = [text for figure in figures for text in re.findall(">([^<>]+)</text>", svg_of(figure))]
    assert sorted(set(ids) & set(texts)) == sorted(ids)
    more = {f"q{n}": ["1"] for n in range(121)}  # of which nobody reads a figure
    assert overview(one_step.leaderboard(more, runs[0], **options)) == []
