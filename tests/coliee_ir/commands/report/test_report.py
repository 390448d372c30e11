"""Reports: their numbers are those of evaluate, nothing breaks out of the page, and figures are written."""

import base64
import csv
import gzip
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
from parsed_page import Parsed

import coliee_ir
from coliee_adapters.errors import UsageError
from coliee_ir.commands.compare.golds import TwoGolds
from coliee_ir.commands.report.drawing import on_page, on_paper, svg_of, write_figures
from coliee_ir.commands.report.overview import overview
from coliee_ir.commands.report.page import drawn, unbroken

pytestmark = pytest.mark.usefixtures("one_deal")


#: what is on the page of every task, and what only where it makes sense
ALWAYS = {"scores", "differences", "queries"}
BESIDES = {**{task: {"cutoffs", "tuning"} for task in ("1", "2", "3", "3 of 2025")}, "trec": {"cutoffs"}}
#: of which the others are variants
USUAL = ("1", "3", "4", "tort")


def held(page, name):
    """The JSON of one of the page's data elements."""
    [text] = re.findall(rf'<script type="application/gzip" id="{name}">([A-Za-z0-9+/=]*)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(text)))


# numbers


@pytest.mark.parametrize(
    "name", [name if name in USUAL else pytest.param(name, marks=pytest.mark.explore) for name in SHOWN]
)
def test_the_page_carries_the_json_of_evaluate(name, call, tmp_path):
    path = tmp_path / "report.html"
    done(call, "report", *shown(name), "-o", path, "--resamples", "99")
    page = path.read_text(encoding="utf-8")
    _, out, _ = call("evaluate", *shown(name), "-f", "json", "-q")
    expected = json.loads(out)
    del expected["inputs"]
    expected["gold"] = Path(expected["gold"]).name  # a page has no paths of the machine
    for run in expected["runs"]:
        run |= {part: Path(run[part]).name for part in ("file", "answers", "long_list") if part in run}
    assert held(page, "evaluation") == expected
    read = Parsed(page)
    assert read.open == []
    figures = {attributes["data-chart"] for _, attributes in read.elements if "data-chart" in attributes}
    assert figures == ALWAYS | BESIDES.get(name, set()) == held(page, "charts").keys()
    for run in json.loads(out)["runs"]:
        for value in run["measures"].values():
            assert f"{value:.4f}" in read.text


@pytest.fixture(scope="module")
def of_task1():
    return one_step.report(*shown("1"), n_resamples=99, command="coliee-ir report")


@pytest.fixture(scope="module")
def page(of_task1):
    return of_task1.to_html()


def test_the_tables_show_the_numbers_of_evaluate(of_task1):
    runs = of_task1.to_dict()["runs"]
    assert [run["tag"] for run in runs] == ["bm25", "dense", "rerank"]
    queries = drawn(of_task1.contents).queries.data
    assert queries.header == ["query", "relevant", "mean", "spread", "rerank", "dense", "bm25"]
    of_tag = {run["tag"]: run["per_query"] for run in runs}
    for query, relevant, mean, spread, *values in queries.rows:
        expected = [of_tag[tag][query]["MicroF1"] for tag in ("rerank", "dense", "bm25")]
        assert [value.value for value in values] == expected
        assert mean.value == pytest.approx(sum(expected) / 3)
        assert spread.value == pytest.approx(max(expected) - min(expected))
        assert relevant.value >= 1
    means = [row[2].value for row in queries.rows]
    assert means == sorted(means)


def test_intervals_and_differences_are_those_of_compare(of_task1):
    comparison, contents = one_step.compare(*shown("1"), n_resamples=99), of_task1.contents
    intervals = dict(zip(contents.names, contents.intervals[contents.measure], strict=True))
    assert intervals == {standing.tag: standing.interval for standing in comparison.runs}
    found = []
    for one in (contents.comparison, comparison):
        tags = [standing.tag for standing in one.runs]
        found.append({frozenset((tags[pair.a], tags[pair.b])): pair.p for pair in one.pairs})
    assert found[0] == found[1]


def test_each_query_opens_to_what_was_retrieved_missed_and_wrong():
    gold = {"q1": ["d1", "d2"], "q2": ["d3"]}
    runs = {"A": {"q1": ["d1", "d9", "d2"], "q2": ["d8"]}, "B": {"q1": ["d9", "d7"]}}
    given = [coliee_ir.Run.of(run, tag=tag) for tag, run in runs.items()]
    report = one_step.report(gold, *given, task="1", n_resamples=99)
    page = report.to_html()
    details = held(page, "details")
    assert details["runs"] == ["A", "B"]
    names = [document for document, _ in details["documents"]]
    first, second = details["queries"]
    opened = {names[number]: (relevant, pairs) for number, relevant, *pairs in first["rows"]}
    assert opened == {"d1": (1, [0, 1]), "d2": (1, [0, 3]), "d9": (0, [0, 2, 1, 1]), "d7": (0, [1, 2])}
    assert list(opened)[:2] == ["d1", "d2"]
    assert first["counts"] == [[2, 0, 1, 0], [0, 2, 2, 0]]
    assert second["counts"] == [[0, 1, 1, 0], [0, 1, 0, 0]]


def test_answers_open_to_the_right_one_and_those_given():
    gold = {"R07-01-O": "Y", "R07-02-O": "N", "R07-03-O": "N"}
    answers = coliee_ir.Answers({"R07-01-O": True, "R07-02-O": True}, tag="A")
    page = one_step.report(gold, answers, task="4", n_resamples=99).to_html()
    assert held(page, "details")["queries"] == [
        {"label": "Y", "answers": ["Y"]},
        {"label": "N", "answers": ["Y"]},
        {"label": "N", "answers": [None]},
    ]


def test_cutoffs_and_tunings_are_those_of_the_measure_and_of_tune(of_task1):
    figure = drawn(of_task1.contents).cutoffs
    rows = {(row[0], row[1].text): (row[2].value, row[3].value) for row in figure.data.rows}
    scores = coliee_ir.evaluate(*shown("1")[:2], measures=["MicroP@3", "MicroR@3", "MicroP", "MicroR"]).measures
    assert rows["bm25", "3"] == (scores["MicroP@3"], scores["MicroR@3"])
    assert rows["bm25", "as submitted"] == (scores["MicroP"], scores["MicroR"])
    tuning = of_task1.contents.tunings[0]
    assert tuning.to_dict() == coliee_ir.tune(shown("1")[0], shown("1")[3], task="1").to_dict()
    assert not tuning.curve_intervals  # which no figure of a report shows


def test_excluded_queries_and_broken_runs_are_nowhere_if_asked(call, tmp_path):
    (tmp_path / "broken.txt").write_text("a b c d e f g h\n")
    files = [shown("4")[0], tmp_path / "broken.txt", *shown("4")[1:]]
    options = ("--keep-going", "--exclude", "R07-01-A", "--resamples", "99")
    assert call("report", *files, *options, "-o", tmp_path / "r.html")[0] == 2
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "1 excluded" in Parsed(page).text
    assert len(held(page, "details")["queries"]) == len(coliee_ir.read_gold(shown("4")[0]).queries) - 1
    assert ">R07-01-A<" not in page
    assert [run["tag"] for run in held(page, "evaluation")["runs"]] == ["ALPHA", "BETA"]


def test_a_report_follows_the_rules_of_scoring(call, tmp_path):
    (tmp_path / "gold.json").write_text('{"001": ["2"], "003": ["4"], "005": ["6"]}')
    (tmp_path / "run.tsv").write_text("a\tb\tc\n001\t2\t9\n003\t2\t9\n005\t6\t1\n")
    options = ("--columns", "query=a,document=b,score=c", "--only", "001,005", "--resamples", "9", "--task", "1")
    given = [*(tmp_path / name for name in ("gold.json", "run.tsv")), "-o", tmp_path / "r.html", *options]
    assert call("report", *given)[0] == 0
    [run] = held((tmp_path / "r.html").read_text(encoding="utf-8"), "evaluation")["runs"]
    assert (run["queries"]["judged"], run["measures"]["MicroF1"]) == (2, 1.0)


def test_the_page_begins_with_what_was_found(of_task1, page):
    read = Parsed(page)
    best, cut = of_task1.contents.verdict()
    assert best == "rerank is the best run: MicroF1 0.494 (0.42–0.57)."
    assert (tuning := of_task1.contents.tunings[0]) is not None
    assert begins(cut, f"Cut to {tuning.rule}, expect {tuning.held_out:.3f} (0.46–0.58)")
    assert read.text.index("rerank is the best run") < read.text.index("How good is each run") < read.text.index("Gold")
    one, _ = one_step.report(*shown("1")[:2], n_resamples=99).contents.verdict()
    assert one == "bm25: MicroF1 0.245 (0.19–0.31)."  # there is nothing to be better than
    gold = {f"q{at}": ["d1"] for at in range(6)}
    runs = [coliee_ir.Run.of({f"q{at}": ["d1"] for at in range(n)}, tag=f"r{n}") for n in (1, 2)]
    first, *_, last = one_step.report(gold, *runs, {"q3": ["d1", "x"]}, task="1", n_resamples=9).contents.verdict()
    assert begins(first, "The best may be any of: r2, r1, run; r2 has MicroF1 0.500 (")
    assert last == "Not distinguishable: r2 and r1; r2 and run; r1 and run."


def test_a_run_has_one_colour_in_all_charts_and_ranks_are_whole(of_task1):
    names, scales = of_task1.contents.names, set()
    for figure in drawn(of_task1.contents).figures():
        [of_figure] = [one["value"] for one in figure.chart["params"] if one["name"] == "runs"]
        assert of_figure == names
        found = re.findall(r'"color": {[^{}]*?"field": "r"[^@]*?"scale": {([^}]*)}', json.dumps(figure.chart))
        scales |= {*found}
        assert not re.search(r'"[+-−]0\.0+"', json.dumps(figure.chart))
    assert len(scales) == 1
    ranks = drawn(of_task1.contents).scores.chart["hconcat"][1]["layer"][-1]["encoding"]["x"]
    assert ranks["axis"]["values"] == [1, 2, 3]


# what else can be asked for


def test_categories_and_titles_are_shown_where_they_are_given(call, tmp_path):
    (tmp_path / "kinds.csv").write_text("query,category\n002473,Refugees\n007630,Refugees\n002473,Patents\n9,Patents\n")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "026639.txt").write_text("Between Her Majesty\n and others")
    (corpus / "002473.txt").write_text("A case about a patent")
    options = ("--categories", tmp_path / "kinds.csv", "--corpus", corpus, "--resamples", "99")
    _, err = done(call, "report", *shown("1")[:2], "-o", tmp_path / "r.html", *options)
    assert mentions(err, "[sheet-rows] 9 …")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    details = held(page, "details")
    assert ["026639", "Between Her Majesty and others"] in details["documents"]
    assert details["queries"][0]["text"] == "A case about a patent"
    assert "Refugees (2)" in json.dumps(held(page, "charts")["categories"])


def test_statements_and_captions_come_from_the_civil_code_and_the_gold(call, tmp_path):
    (tmp_path / "code.txt").write_text("(Fraud)\nArticle 96 (1) A manifestation is voidable.\nArticle 97 Next.\n")
    pair = '<pair id="H18-1-{0}" label="Y"><t1>\nArticle 96 (1) A.\n</t1><t2>Statement {0}.</t2></pair>'
    pairs = "".join(pair.format(at) for at in range(1, 7))
    (tmp_path / "gold.xml").write_text(f"<dataset>{pairs}</dataset>")
    (tmp_path / "run.txt").write_text("".join(f"H18-1-{at} Q0 96 1 0.8 T\n" for at in range(1, 7)))
    files = [tmp_path / name for name in ("gold.xml", "run.txt")]
    options = ("--edition", "2025", "--resamples", "99", "-o", tmp_path / "r.html")
    for corpus, title in ((), ""), (("--corpus", tmp_path / "code.txt"), "Fraud"):
        done(call, "report", *files, *options, *corpus)
        details = held((tmp_path / "r.html").read_text(encoding="utf-8"), "details")
        assert details["queries"][0]["text"] == "Statement 1."
        assert (details["documents"][0][0], title in details["documents"][0][1]) == ("96", True)


def test_one_run_needs_no_comparison_and_another_measure_no_tuning(call, tmp_path):
    options = ("-m", "AP MicroF1", "-o", tmp_path / "r.html", "--resamples", "99")
    assert call("report", *shown("1")[:2], *options)[0] == 0
    page = Parsed((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "about AP" in page.text
    assert not any(words in page.text for words in ("Where do they differ", "The best rule"))
    assert "differing" not in {a.get("value") for a in page.all("input")}
    with refusing(coliee_ir.UsageError, "[too-few]"):
        one_step.report(*shown("1")[:2], baseline="x")


def test_a_baseline_leaves_only_its_pairs():
    report = one_step.report(*shown("1"), baseline="bm25", n_resamples=99, measures="AP")
    figure = drawn(report.contents).differences
    assert [row[:2] for row in figure.data.rows] == [["rerank", "bm25"], ["dense", "bm25"]]


def test_of_another_gold_a_section_has_the_tables_and_sentences_of_compare(call, tmp_path):
    gold, runs = EXAMPLES / "trec/qrels.txt", [EXAMPLES / "trec" / name for name in ("bm25.run", "dense.run")]
    other, path = tmp_path / "<i>other.txt", tmp_path / "report.html"
    other.write_text(re.sub("(q3.*) 0$", r"\1 1", gold.read_text(), flags=re.MULTILINE))
    options = ("-m", "AP", "--resamples", "99")
    done(call, "report", gold, *runs, *options, "--other-gold", other, "-o", path)
    scored = [coliee_ir.evaluate_all(one, runs, measures="AP") for one in (gold, other)]
    found = coliee_ir.compare(scored[0], other=scored[1], n_resamples=99)
    page = Parsed(path.read_text(encoding="utf-8"))
    assert isinstance(found, TwoGolds) and page.open == [] and "<i>other.txt" in page.text
    for sentence in found.of_golds():
        assert sentence in page.text
    assert all(f"{run.score:.4f}" in page.text for one in found.by_gold.values() for run in one.runs)
    for refused in ((gold, runs[0], "--other-gold", other), (gold, *runs, "--other-gold", tmp_path / "none.txt")):
        assert mentions(
            failing(call, "report", *refused, "-o", path), "[too-few]" if runs[1] not in refused else "…none.txt…"
        )
    with refusing(UsageError, "[too-few] …"):
        coliee_ir.report(scored[0], other=scored[1][:1])
    assert "golds" not in {
        attributes.get("id") for _, attributes in Parsed(coliee_ir.report(scored[0]).to_html()).elements
    }


def test_pairs_that_the_other_gold_turns_round_are_in_the_verdict():
    golds = [{f"q{n}": {"a": int(n_relevant == 0), "b": n_relevant} for n in range(9)} for n_relevant in (0, 1)]
    runs = {"A": {f"q{n}": ["a"] for n in range(9)}, "B": {f"q{n}": ["b"] for n in range(9)}}
    first, other = (coliee_ir.evaluate_all(gold, runs, task="trec", measures=["P@1"]) for gold in golds)
    *_, last = coliee_ir.report(first, other=other, n_resamples=999).contents.verdict()
    assert last == "The other gold turns 1 pair of runs round."


def test_a_cut_off_that_cannot_be_chosen_is_a_remark():
    report = one_step.report({"q1": ["d1"]}, {"q1": ["d1", "d2"]}, task="1", n_resamples=99)
    assert report.contents.tunings == [None]
    assert any(mentions(heard(remark), "… run … 5 folds …") for remark in report.contents.remarks)
    assert "no cutoff is chosen for " in heard(report.to_html())


@pytest.mark.parametrize("run", [{"q9": ["d1"], "q1": []}, {"q1": ["d7"]}])
def test_a_run_that_found_nothing_has_a_report(run):
    gold = {"q1": ["d1"], "q2": []}
    page = one_step.report(gold, run, {"q1": ["d1"]}, task="3", edition=2025, n_resamples=99).to_html()
    assert "1 of 1" not in Parsed(page).text
    assert Parsed(page).open == []


def test_the_command_can_be_typed_again_and_gives_the_same_page(call, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    path = tmp_path / "a page.html"
    call("report", *SHOWN["4"], "-o", path, "--resamples", "99")
    first = path.read_bytes()
    assert f"coliee-ir report {' '.join(SHOWN['4'])} --resamples 99 -o report.html" in Parsed(first.decode()).text
    path = tmp_path / "report.html"
    call("report", *SHOWN["4"], "--resamples", "99", "-o", path)
    assert path.read_bytes() == first


# what is asked for wrongly


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "[option-needed]"),
        (["--figures", "o", "--seed", "-1"], "[bad-value]"),
        (["--figures", "o", "--resamples", "2000000"], "[bad-value] … 100,000"),
        (["--figures", "o", "-m", "MicroG"], "[unknown-measure]"),
        (["--figures", "o", "--categories", "none.csv"], "[no-file]"),
        (["--figures", "o", "--corpus", "none"], "none"),
    ],
)
def test_what_does_not_fit_is_refused(call, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    err = failing(call, "report", *shown("4")[:2], *options)
    assert mentions(err, said)
    assert not list(tmp_path.iterdir())


def test_what_is_not_installed_is_named(call, tmp_path, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("altair", "jinja2") else find(name))
    code, _, err = call("report", *shown("1"), "-o", tmp_path / "r.html")
    assert code == 2
    assert matches(err, "coliee-ir: a report needs altair and jinja2: pip install 'coliee-ir[report]'\n")


# hostile names: without blanks and semicolons, with which no id is read

HOSTILE = [
    *(
        "=HYPERLINK(1)",
        "@SUM(1)",
        "\x1b[31m\x1b]0\x07",
        "</script><script>alert(1)</script>",
        "\u202eevil",
        "__proto__",
    ),
    *("<!--", "<script>", "]]>", '"><img/src=x/onerror=alert(1)>', "'/onmouseover='alert(1)", "{{7*7}}{%raw%}"),
    *("\u2028\u2029", "\\input{/etc/passwd}%$&#_^~", "constructor", "datum.s|alert(1)", "@ink", "expr:alert(1)"),
    *("javascript:alert(1)", "url(//evil.example)", "日本語½"),
]


@pytest.fixture(scope="module")
def hostile():
    """A report in which everything that a file can name is hostile."""
    ids = [text.replace("\u202e", "") for text in HOSTILE]  # ids with an invisible character are refused
    gold = {f"{text}q": [f"{text}d", f"{text}e"] for text in ids}
    ranked = {f"{text}q": {f"{text}d": 2.0, f"{other}x": 1.0} for text, other in pairwise(ids)}
    tags = ["".join(HOSTILE[at::6]) for at in range(6)]
    runs = [coliee_ir.Run.of(ranked, tag=tag, path=f"{tag}.txt") for tag in tags]
    return one_step.report(gold, *runs, task="1", n_resamples=9, command=" ".join(HOSTILE))


def test_a_hostile_name_is_text_on_the_page(hostile):
    hostile_page = hostile.to_html()
    hostile_page.encode()  # no lone surrogate
    read = Parsed(hostile_page)
    assert read.open == []
    assert [attributes.get("type") for attributes in read.all("script")] == ["application/gzip"] * 3 + [None] * 2
    assert not read.all("img")
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    assert "<!--" not in hostile_page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u2028-\u202e]", hostile_page)
    for text in HOSTILE:
        if text.isprintable():
            assert f"{text}q" in read.text
    assert "49" not in re.findall(r"\{\{7\*7\}\}|49q", hostile_page)


#: what Vega reads as expressions, fields and addresses, and what of ours stands there
READ = ("calculate", "expr", "signal", "filter", "field", "labelExpr", "href", "url")
OURS = r"[a-z]+|datum\[order\]|(runs|questions|categories)\[(datum\.value|[0-9]+)\]"


def test_a_hostile_name_is_data_in_a_chart_and_never_a_field_or_an_expression(hostile):
    for figure in drawn(hostile.contents).figures():
        for expression in _found(figure.chart, READ):
            assert re.fullmatch(OURS, expression), expression
        assert '"@' not in json.dumps(_without_data(on_page(figure)))


def _found(part, keys):
    """The texts under some keys of a definition, outside of its data."""
    if isinstance(part, list):
        return [text for one in part for text in _found(one, keys)]
    if not isinstance(part, dict):
        return []
    own = [value for key, value in part.items() if key in keys and isinstance(value, str)]
    inner = [value for key, value in part.items() if key not in ("values", "datasets")]
    return own + [text for value in inner for text in _found(value, keys)]


def _without_data(part):
    if isinstance(part, list):
        return [_without_data(one) for one in part]
    if not isinstance(part, dict):
        return part
    data = ("values", "datasets", "value")
    return {key: _without_data(value) for key, value in part.items() if key not in data}


@pytest.fixture
def quick(monkeypatch):
    """Of figures, only the SVG is drawn."""
    for slow in ("svg_to_png", "svg_to_pdf"):
        monkeypatch.setattr(f"vl_convert.{slow}", lambda *_, **__: b"")


def test_a_hostile_name_is_escaped_in_figures_and_tables(hostile, tmp_path, quick):
    files = write_figures(drawn(hostile.contents).figures()[:2], tmp_path)
    assert {path.parent for path in files} == {tmp_path}
    for path in files:
        if path.suffix == ".svg":
            for element in ElementTree.parse(path).iter():
                assert element.tag.rpartition("}")[2] in {"svg", "defs", "linearGradient", "stop", "clipPath",
                                                          "g", "path", "rect", "line", "text", "tspan"}  # fmt: skip
                assert not [name for name in element.attrib if name.startswith("on") or name.endswith("href")]
        if path.suffix == ".csv":
            for row in csv.reader(path.read_text(encoding="utf-8").splitlines()[1:]):
                assert not [cell for cell in row if cell.startswith(("=", "@", "+")) or "\x1b" in cell]


def test_a_script_that_would_end_itself_is_refused():
    for code in ("a</SCRIPT>", "<!-- a", "a\rb"):
        with refusing(ValueError, "this script cannot be embedded in a page"):
            unbroken(code)


# the page as a document


def test_the_page_is_one_document_in_order_with_words_for_charts_that_needs_nothing_else(page):
    read = Parsed(page)
    assert read.all("html") == [{"lang": "en"}]
    headings = [int(tag[1]) for tag, _ in read.elements if re.fullmatch("h[1-6]", tag)]
    assert (headings[0], headings.count(1)) == (1, 1)
    assert all(b <= a + 1 for a, b in pairwise(headings))
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for attributes in read.all("a"):
        assert str(attributes["href"]).removeprefix("#") in ids
    charts = [attributes for _, attributes in read.elements if "data-chart" in attributes]
    assert len(charts) == 5 <= len(read.all("table"))
    for attributes in charts:
        assert attributes["role"] == "img"
        assert attributes["aria-label"]
        assert attributes["aria-describedby"] in ids
    assert not read.all("link")
    assert not read.values("src")
    assert "url(" not in re.findall("<style>(.*?)</style>", page, re.DOTALL)[0]
    [policy] = [a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert str(policy).startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in str(policy)


# figures for a paper


def test_the_figures_are_written_in_every_form(call, tmp_path):
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


def test_a_figure_that_cannot_be_written_is_named_and_leaves_nothing_half_written(call, tmp_path):
    (tmp_path / "scores.svg").mkdir()
    code, _, err = call("report", *shown("4"), "--figures", tmp_path, "--resamples", "9")
    assert code == 2
    assert mentions(err, f"{tmp_path / 'scores.svg'}: [cannot-write]")
    assert [path.name for path in tmp_path.iterdir()] == ["scores.svg"]


def test_page_and_paper_are_drawn_from_one_definition(of_task1):
    for figure in drawn(of_task1.contents).figures():
        screen, paper = on_page(figure), on_paper(figure)
        assert "var(--" in json.dumps(screen)
        assert "var(--" not in json.dumps(paper)
        assert json.dumps(screen["config"]) != json.dumps(paper["config"])
        assert screen.keys() == paper.keys()
        assert screen["config"]["aria"] is False  # the chart as a whole has a text
        colours = re.findall(r'"domain": (\[[0-9, ]*\]), "range": (\["(?:var|@)[^]]*\])', json.dumps(screen))
        assert all(len(json.loads(runs)) == len(json.loads(of_runs)) for runs, of_runs in colours)


def test_the_overview_names_every_question_on_its_axis(quick):
    ids = [f"H{n // 10:02}-{n}-U" for n in range(110)]
    gold = {query: ["1"] for query in ids}
    runs = [coliee_ir.Run.of({query: ["1"] for query in ids[:n]}, tag=f"A{n}") for n in (20, 60)]
    board = one_step.leaderboard(gold, *runs, task="3", edition=2025, n_resamples=99)
    figures = overview(board)
    assert [(one.name, len(one.data.rows)) for one in figures] == [
        ("single-easy", 20), ("single-other", 45), ("single-other-2", 45)]  # fmt: skip
    shown = [text for one in figures for text in re.findall(">([^<>]+)</text>", svg_of(one))]
    assert sorted(set(ids) & set(shown)) == sorted(ids)
    more = {f"q{n}": ["1"] for n in range(121)}  # of which nobody reads a figure
    assert overview(one_step.leaderboard(more, runs[0], task="3", edition=2025, n_resamples=99)) == []


def test_of_many_runs_the_best_are_told_and_drawn_and_all_have_ranks():
    gold = {f"q{at}": [f"d{at}", f"e{at}"] for at in range(60)}
    runs = [coliee_ir.Run.of({f"q{q}": [f"d{q}"] for q in range(at)}, tag=f"r{at}") for at in range(1, 54)]
    report = one_step.report(gold, *runs, baseline="r1", task="1", n_resamples=99)
    page, contents = report.to_html(), report.contents
    assert contents.comparison is None  # of so many runs not even with a baseline, which is said
    assert any("compare --baseline" in remark for remark in contents.remarks)
    assert "differences" not in held(page, "charts")
    assert held(page, "details")["runs"] == contents.names[:12] == [f"r{at}" for at in range(53, 41, -1)]
    charts = held(page, "charts")
    assert {cell["r"] for cell in charts["queries"]["datasets"]["rows0"]} == set(range(50))
    assert [run["tag"] for run in report.to_dict()["runs"]] == [f"r{at}" for at in range(1, 54)]
    assert not any("per_query" in run for run in report.to_dict()["runs"])
    text = Parsed(page).text
    for entry in contents.board.entries:
        assert f"{entry.tag}" in text and str(entry.ranks) in text
