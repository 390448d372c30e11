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
    figures = set(read.values("data-chart"))
    assert figures == ALWAYS | BESIDES.get(name, set()) == data_in(page, "charts").keys()
    assert data_in(page, "details")["ranked"] is (name != "rationale")
    assert ("No run scores anything on 1 of 40 queries." in read.text) is (name == "1")


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
    assert contents.tunings[0].to_dict() == coliee_ir.tune(shown("1")[0], shown("1")[3], task="1").to_dict()


def test_each_query_opens_to_what_was_retrieved_missed_wrong_or_answered():
    gold = {"q1": ["d1", "d2"], "q2": ["d3"]}
    runs = [run_of({"q1": ["d1", "d9", "d2"], "q2": ["d8"]}, "A"), run_of({"q1": ["d9", "d7"]}, "B")]
    details = data_in(one_step.report(gold, *runs, task="1", n_resamples=99).to_html(), "details")
    assert details["runs"] == ["A", "B"]
    names, (first, second) = [document for document, _ in details["documents"]], details["queries"]
    opened = [(names[number], relevant, *pairs) for number, relevant, *pairs in first["rows"]]
    assert opened[:2] == [("d1", 1, 0, 1), ("d2", 1, 0, 3)]
    assert {*opened[2:]} == {("d9", 0, 0, 2, 1, 1), ("d7", 0, 1, 2)}
    assert first["counts"] == [[2, 0, 1, 0], [0, 2, 2, 0]]
    assert second["counts"] == [[0, 1, 1, 0], [0, 1, 0, 0]]
    gold = {"R07-01-O": "Y", "R07-02-O": "N", "R07-03-O": "N"}
    answers = coliee_ir.Answers({"R07-01-O": True, "R07-02-O": True}, tag="A")
    page = one_step.report(gold, answers, task="4", n_resamples=99).to_html()
    right = zip("YNN", ("Y", "Y", None), strict=True)
    assert data_in(page, "details")["queries"] == [{"label": label, "answers": [answer]} for label, answer in right]


def test_excluded_queries_and_broken_runs_are_nowhere(call, here):
    (here / "broken.txt").write_text("a b c d e f g h\n")
    options = ("--keep-going", "--exclude", "R07-01-A", "--resamples", "99", "-o", "r.html")
    assert call("report", shown("4")[0], "broken.txt", *shown("4")[1:], *options)[0] == 2
    page = (here / "r.html").read_text(encoding="utf-8")
    assert "1 excluded" in Parsed(page).text and ">R07-01-A<" not in page
    assert len(data_in(page, "details")["queries"]) == len(coliee_ir.read_gold(shown("4")[0]).queries) - 1
    assert [run["tag"] for run in data_in(page, "evaluation")["runs"]] == ["ALPHA", "BETA"]


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
    gold = {f"q{n}": ["d1"] for n in range(16)}
    runs = [run_of({f"q{i}": ["d1"] for i in range(n)}, f"r{n}") for n in (1, 2)]
    six = dict([*gold.items()][:6])
    [first] = verdict_of(six, *runs, {"q3": ["d1", "x"]}, task="1")  # which says all that is to be said of the pairs
    assert begins(first, "The best may be any of: r2, r1, run; r2 has MicroF1 0.500 (")
    whole = {f"q{i}": ["d1", "d2"] for i in range(9)}
    assert not any(letter.isdigit() for letter in verdict_of(whole, run_of(whole, "all"), task="1")[1])  # no cut gains
    alike = [run_of({"q0": ["d1"]}, f"r{n}") for n in range(4)]
    last = verdict_of(gold, run_of(gold, "all"), *alike, task="1")[-1]
    assert last == "Not distinguishable: r0 and r1; r0 and r2; r0 and r3; 3 more."


def test_a_run_has_one_colour_in_all_charts_on_page_and_paper_and_ranks_are_whole(of_task1):
    scales, figures = set(), drawn(of_task1.contents)
    for figure in figures.values():
        screen, paper = on_page(figure), on_paper(figure)
        assert "var(--" in json.dumps(screen) and "var(--" not in json.dumps(paper)
        assert screen["config"]["aria"] is False  # the chart as a whole has a text
        scales |= {*re.findall(r'"color": {[^{}]*?"field": "r"[^@]*?"scale": {([^}]*)}', json.dumps(figure.chart))}
    [scale] = scales
    domain, colours = (json.loads(text) for text in re.findall(r"\[.*?\]", scale))
    assert (domain, colours) == ([0, 1, 2], ["@run1", "@run2", "@run3"])
    ranks = figures["scores"].chart["hconcat"][1]["layer"][-1]["encoding"]["x"]
    assert ranks["axis"]["values"] == [1, 2, 3]
    assert '"tickMinStep": 1' in json.dumps(figures["tuning"].chart)


# what else can be asked for


def test_categories_titles_and_statements_are_shown_where_they_are_given(here, made):
    (here / "kinds.csv").write_text("query,category\n002473,Refugees\n007630,Refugees\n002473,Patents\n9,Patents\n")
    corpus = here / "corpus"
    corpus.mkdir()
    (corpus / "026639.txt").write_text("Between Her Majesty\n and others")
    (corpus / "002473.txt").write_text("A case about a patent")
    page, err = made(*shown("1")[:2], "--categories", "kinds.csv", "--corpus", corpus)
    details = data_in(page, "details")
    assert mentions(err, "[sheet-rows] 9 …")
    assert ["026639", "Between Her Majesty and others"] in details["documents"]
    assert details["queries"][0]["text"] == "A case about a patent"
    assert "Refugees (2)" in json.dumps(data_in(page, "charts")["categories"])
    assert " 2 categories; " in Parsed(page).text
    (here / "code.txt").write_text("(Fraud)\nArticle 96 (1) A manifestation is voidable.\nArticle 97 Next.\n")
    pair = '<pair id="H18-1-{0}" label="Y"><t1>\nArticle 96 (1) A.\n</t1><t2>Statement {0}.</t2></pair>'
    (here / "gold.xml").write_text(f"<dataset>{''.join(map(pair.format, range(1, 7)))}</dataset>")
    (here / "run.txt").write_text("".join(f"H18-1-{n} Q0 96 1 0.8 T\n" for n in range(1, 7)))
    for corpus, title in ((), ""), (("--corpus", "code.txt"), "Fraud"):
        details = data_in(made("gold.xml", "run.txt", "--edition", "2025", *corpus)[0], "details")
        assert details["queries"][0]["text"] == "Statement 1."
        assert (details["documents"][0][0], title in details["documents"][0][1]) == ("96", True)


def test_one_run_needs_no_comparison_another_measure_no_tuning_and_a_baseline_leaves_its_pairs(made):
    page = Parsed(made(*shown("1")[:2], "-m", "AP MicroF1")[0])
    assert "about AP" in page.text and "differing" not in page.values("value")
    assert not any(words in page.text for words in ("Where do they differ", "The best rule"))
    report = one_step.report(*shown("1"), baseline="bm25", n_resamples=99, measures="AP")
    pairs = [row[:2] for row in drawn(report.contents)["differences"].data.rows]
    assert pairs == [["rerank", "bm25"], ["dense", "bm25"]]


def test_of_another_gold_a_section_has_the_tables_and_sentences_of_compare(here, made):
    gold, runs = EXAMPLES / "trec/qrels.txt", [EXAMPLES / "trec" / name for name in ("bm25.run", "dense.run")]
    other = here / "<i>other.txt"
    other.write_text(re.sub("(q3.*) 0$", r"\1 1", gold.read_text(), flags=re.MULTILINE))
    page = Parsed(made(gold, *runs, "-m", "AP", "--other-gold", other)[0])
    scored = [coliee_ir.evaluate_all(path, runs, measures="AP") for path in (gold, other)]
    found = coliee_ir.compare(scored[0], other=scored[1], n_resamples=99)
    assert page.open == [] and "<i>other.txt" in page.text
    assert all(sentence in page.text for sentence in found.of_golds())
    assert all(f"{run.score:.4f}" in page.text for by in found.by_gold.values() for run in by.runs)
    assert "golds" not in Parsed(coliee_ir.report(scored[0]).to_html()).values("id")
    either = {name: {f"q{n}": [name] for n in range(9)} for name in "ab"}  # what one run retrieves alone is right
    turned = [coliee_ir.evaluate_all(either[right], either, task="trec", measures=["P@1"]) for right in "ab"]
    *_, last = coliee_ir.report(turned[0], other=turned[1], n_resamples=999).contents.verdict()
    assert last == "The other gold turns 1 pair of runs round."


def test_what_cannot_be_chosen_or_was_not_found_has_a_page_all_the_same():
    report = one_step.report({"q1": ["d1"]}, {"q1": ["d1", "d2"]}, task="1", n_resamples=99)
    assert report.contents.tunings == [None]
    assert any(mentions(heard(remark), "no cutoff is chosen for run … 5 folds …") for remark in report.contents.remarks)
    for run in ({"q9": ["d1"], "q1": []}, {"q1": ["d7"]}):
        gold = {"q1": ["d1"], "q2": []}
        page = Parsed(one_step.report(gold, run, {"q1": ["d1"]}, task="3", edition=2025, n_resamples=99).to_html())
        assert "1 of 1" not in page.text and page.open == []


def test_the_command_can_be_typed_again_and_gives_the_same_page(call, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    paths, resamples = [tmp_path / name / "a page.html" for name in ("here", "there")], ("--resamples", "99")
    for path, options in ((paths[0], ("-o", paths[0], *resamples)), (paths[1], (*resamples, "-o", paths[1]))):
        path.parent.mkdir()
        call("report", *SHOWN["4"], *options)
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
    charts, text = data_in(page, "charts"), Parsed(page).text
    assert "differences" not in charts
    assert {cell["r"] for cell in charts["queries"]["datasets"]["rows0"]} == set(range(50))
    assert [(run["tag"], "per_query" in run) for run in scores] == [(f"r{n}", False) for n in range(1, 54)]
    assert all(entry.tag in text and str(entry.ranks) in text for entry in contents.board.entries)


# what is asked for wrongly


def test_what_does_not_fit_is_refused_before_anything_is_written(call, here, monkeypatch):
    articles = EXAMPLES / "task3-2025"  # of which the rules of 2026 rank none
    for words, sentence in (
        (shown("4")[:2], "[option-needed]"),
        ([*shown("4")[:2], "--figures", "o", "--resamples", "2000000"], "[bad-value] … 100,000"),
        ([*shown("4")[:2], "--figures", "o", "--categories", "none.csv"], "[no-file]"),
        ([*shown("4")[:2], "--figures", "o", "--corpus", "none"], "none"),
        ([*shown("4")[:2], "-o", "r.pdf"], "r.pdf: [file-name]"),
        ([*shown("4")[:2], "-o", "r.html", "--baseline", "x"], "[too-few]"),
        ([*shown("4")[:2], "-o", "r.html", "--other-gold", shown("4")[0]], "[too-few]"),
        ([*shown("4"), "-o", "r.html", "--other-gold", "none.txt"], "…none.txt…"),
        ([articles / "gold.xml", articles / "task3.ALPHA", "-o", "r.html"], "[no-run]"),
    ):
        assert mentions(failing(call, "report", *words), sentence)
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
    assert not re.search("<!--|[\x00-\x08\x0b-\x1f\x7f\u2028-\u202e]", hostile_page)
    assert all(f"{text}q" in read.text for text in HOSTILE if text.isprintable())
    assert "49q" not in read.text


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


def test_a_hostile_name_is_escaped_in_figures_and_tables(hostile, tmp_path, monkeypatch):
    for slow in ("svg_to_png", "svg_to_pdf"):
        monkeypatch.setattr(f"vl_convert.{slow}", lambda *_, **__: b"")
    write_figures([*drawn(hostile.contents).values()][:2], tmp_path)
    harmless = {"svg", "defs", "linearGradient", "stop", "clipPath", "g", "path", "rect", "line", "text", "tspan"}
    drawings, tables = ([*tmp_path.glob(f"*.{ending}")] for ending in ("svg", "csv"))
    assert (len(drawings), len(tables)) == (2, 2)
    for element in (element for path in drawings for element in ElementTree.parse(path).iter()):
        assert element.tag.rpartition("}")[2] in harmless
        assert not [name for name in element.attrib if name.startswith("on") or name.endswith("href")]
    for path in tables:
        cells = [cell for row in [*csv.reader(path.read_text(encoding="utf-8").splitlines())][1:] for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "+")) or "\x1b" in cell]


# the page as a document, and figures for a paper


def test_the_page_is_one_document_in_order_with_words_for_charts_that_needs_nothing_else(page):
    read = Parsed(page)
    assert read.all("html") == [{"lang": "en"}]
    headings = [int(tag[1]) for tag, _ in read.elements if re.fullmatch("h[1-6]", tag)]
    assert (headings[0], headings.count(1)) == (1, 1)
    assert all(b <= a + 1 for a, b in pairwise(headings))
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    assert {address.removeprefix("#") for address in read.values("href")} <= {*ids}
    charts = [attributes for _, attributes in read.elements if "data-chart" in attributes]
    assert len(charts) == 5 <= len(read.all("table"))
    for attributes in charts:
        assert attributes["role"] == "img" and attributes["aria-label"] and attributes["aria-describedby"] in ids
    assert not read.all("link") and not read.values("src")
    assert "url(" not in re.findall("<style>(.*?)</style>", page, re.DOTALL)[0]
    [policy] = [a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe-eval" not in policy


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


def test_the_overview_names_every_question_on_its_axis():
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
