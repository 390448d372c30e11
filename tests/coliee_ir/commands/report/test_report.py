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
from asserting import begins, done, failing, matches, mentions
from example_runs import EXAMPLES, SHOWN, shown
from parsed_page import Parsed, data_in

import coliee_ir
from coliee_ir.commands.report.drawing import on_page, write_figures
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


def run_of(documents, tag):
    return coliee_ir.Run.of(documents, tag=tag, path=f"{tag}.txt")


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


def test_numbers_are_those_of_the_other_commands(of_task1):
    contents, figures = of_task1.contents, drawn(of_task1.contents)
    of_tag = {run["tag"]: run["per_query"] for run in of_task1.to_dict()["runs"]}
    queries = figures["queries"].data
    assert queries.header == ["query", "relevant", "mean", "spread", "rerank", "dense", "bm25"]
    for query, _, mean, spread, *values in queries.rows:
        expected = [of_tag[tag][query]["MicroF1"] for tag in queries.header[4:]]
        assert [value.value for value in values] == expected
        assert (mean.value, spread.value) == pytest.approx((sum(expected) / 3, max(expected) - min(expected)))
    means = [row[2].value for row in queries.rows]
    assert means == sorted(means)
    comparison = one_step.compare(*shown("1"), n_resamples=99)
    intervals = dict(zip(contents.names, contents.intervals[contents.measure], strict=True))
    assert intervals == {standing.tag: standing.interval for standing in comparison.runs}
    by_pair = [{frozenset(pair.tags): pair.p for pair in each.pairs} for each in (contents.comparison, comparison)]
    assert by_pair[0] == by_pair[1]
    [cells] = figures["differences"].chart["datasets"].values()
    assert [cell["sure"].removesuffix(" *") for cell in cells] == [f"p = {cell['p']:.3f}" for cell in cells]
    assert len(cells) == 2 * len(by_pair[0])
    rows = {(row[0], row[1].text): (row[2].value, row[3].value) for row in figures["cutoffs"].data.rows}
    for at, k in (("@3", "3"), ("", "as submitted")):
        measures = coliee_ir.evaluate(*shown("1")[:2], measures=[f"MicroP{at}", f"MicroR{at}"]).measures
        assert rows["bm25", k] == tuple(measures.values())
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
    assert [run["tag"] for run in data_in(page, "evaluation")["runs"]] == ["ALPHA", "BETA"]


def verdict_of(*arguments, **options):
    return [*one_step.report(*arguments, n_resamples=99, **options).contents.verdict()]


def test_the_page_begins_with_what_was_found(of_task1):
    text, tuning = Parsed(of_task1.to_html()).text, of_task1.contents.tunings[0]
    best, cut = of_task1.contents.verdict()
    assert best == "rerank is the best run: MicroF1 0.494 (0.42–0.57)."
    assert begins(cut, f"Cut to {tuning.rule}, it scores {tuning.held_out:.3f} (0.46–0.58)")
    assert text.index("rerank is the best run") < text.index("How good is each run") < text.index("Gold")
    # there is nothing to be better than
    assert verdict_of(*shown("1")[:2])[0] == "bm25: MicroF1 0.245 (0.19–0.31)."
    gold = {f"q{i}": ["d1"] for i in range(16)}
    runs = [run_of({f"q{i}": ["d1"] for i in range(n)}, f"r{n}") for n in (1, 2)]
    some = {query: gold[query] for query in [*gold][:6]}
    [first] = verdict_of(some, *runs, {"q3": ["d1", "x"]}, task="1")  # which says all that is to be said of the pairs
    assert begins(first, "The best may be any of: r2, r1, run; r2 has MicroF1 0.500 (")


def test_categories_titles_and_statements_are_shown_where_they_are_given(here, made):
    Path("kinds.csv").write_text("query,category\n002473,Refugees\n007630,Refugees\n002473,Patents\n9,Patents\n")
    Path("corpus").mkdir()
    Path("corpus/026639.txt").write_text("Between Her Majesty\n and others")
    page, err = made(*shown("1")[:3], "--categories", "kinds.csv", "--corpus", "corpus")
    assert mentions(err, "[sheet-rows] 9 …") and " 2 categories; " in Parsed(page).text
    assert "Refugees (2)" in json.dumps(data_in(page, "charts")["categories"])
    assert ["026639", "Between Her Majesty and others"] in data_in(page, "details")["documents"]
    report = one_step.report(*shown("1")[:3], categories="kinds.csv", n_resamples=9)
    assert drawn(report.contents)["categories"].data.header[-2:] == ["dense", "bm25"]
    Path("code.txt").write_text("(Fraud)\nArticle 96 (1) A manifestation is voidable.\nArticle 97 Next.\n")
    pair = '<pair id="H18-1-1" label="Y"><t1>\nArticle 96 (1) A.\n</t1><t2>Statement.</t2></pair>'
    Path("gold.xml").write_text(f"<dataset>{pair}</dataset>")
    Path("run.txt").write_text("H18-1-1 Q0 96 1 0.8 T\n")
    details = data_in(made("gold.xml", "run.txt", "--edition", "2025", "--corpus", "code.txt")[0], "details")
    assert details["queries"][0]["text"] == "Statement."
    assert details["documents"][0][0] == "96" and "Fraud" in details["documents"][0][1]


def test_one_run_has_no_comparison_and_a_baseline_its_pairs(made):
    page = Parsed(made(*shown("1")[:2], "-m", "AP MicroF1")[0])
    assert "about AP" in page.text and "differing" not in page.values("value")
    assert not any(words in page.text for words in ("Where do they differ", "The best rule"))
    alone = one_step.report(*shown("1")[:2], n_resamples=99)
    assert drawn(alone.contents)["queries"].data.header == ["query", "relevant", "bm25"]
    report = one_step.report(*shown("1"), baseline="bm25", n_resamples=99, measures="AP")
    pairs = [row[:2] for row in drawn(report.contents)["differences"].data.rows]
    assert pairs == [["rerank", "bm25"], ["dense", "bm25"]]


def test_of_another_gold_a_section_has_the_tables_and_sentences_of_compare(here, made):
    gold, runs = shown("trec")[0], shown("trec")[1:]
    other = here / "<i>other.txt"
    other.write_text(re.sub("(q3.*) 0$", r"\1 1", Path(gold).read_text(), flags=re.MULTILINE))
    page = Parsed(made(gold, *runs, "-m", "AP", "--other-gold", other)[0])
    scored = [coliee_ir.evaluate_all(path, runs, measures="AP") for path in (gold, other)]
    found = coliee_ir.compare(scored[0], other=scored[1], n_resamples=99)
    assert page.open == [] and "<i>other.txt" in page.text
    assert all(sentence in page.text for sentence in found.of_golds())
    assert "golds" not in Parsed(coliee_ir.report(scored[0]).to_html()).values("id")


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
    page, contents = report.to_html(), report.contents
    assert contents.comparison is None  # of so many runs not even with a baseline, which is said
    assert any("compare --baseline" in remark for remark in contents.remarks)
    assert data_in(page, "details")["runs"] == contents.names[:12] == [f"r{n}" for n in range(53, 41, -1)]
    assert {cell["r"] for cell in data_in(page, "charts")["queries"]["datasets"]["rows0"]} == set(range(50))
    assert not any("per_query" in run for run in report.to_dict()["runs"])
    text = Parsed(page).text
    assert all(entry.tag in text and str(entry.ranks) in text for entry in contents.board.entries)


def test_what_does_not_fit_is_refused_before_anything_is_written(call, here, monkeypatch):
    articles = [EXAMPLES / "task3-2025" / name for name in ("gold.xml", "task3.ALPHA")]
    for files, options, sentence in (
        (shown("4")[:2], [], "[option-needed]"),
        (shown("4")[:2], ["-o", "r.pdf"], "r.pdf: [file-name]"),
        (shown("4")[:2], ["-o", "r.html", "--baseline", "x"], "[too-few]"),
        (shown("4")[:2], ["-o", "r.html", "--other-gold", shown("4")[0]], "[too-few]"),
        (articles, ["-o", "r.html"], "[no-run]"),  # of which the rules of 2026 rank none
    ):
        assert mentions(failing(call, "report", *files, *options), sentence)
        assert not list(here.iterdir())
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("altair", "jinja2") else find(name))
    err = failing(call, "report", *shown("1"), "-o", "r.html")
    assert matches(err, "coliee-ir: a report needs altair and jinja2: pip install 'coliee-ir[report]'\n")
    for code in ("a</SCRIPT>", "<!-- a", "a\rb"):  # scripts that would end themselves
        with pytest.raises(ValueError):
            unbroken(code)


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
READ = "calculate|expr|signal|filter|field|labelExpr|href|url"
OURS = r"[a-z]+|datum\[order\]|(runs|questions|categories)\[(datum\.value|[0-9]+)\]"


def test_a_hostile_name_is_data_in_a_chart_and_no_expression(hostile):
    for figure in drawn(hostile.contents).values():
        chart = json.dumps({key: part for key, part in figure.chart.items() if key != "datasets"})
        found = re.findall(rf'"(?:{READ})": ("(?:[^"\\]|\\.)*")', chart)
        assert found and not [text for text in map(json.loads, found) if not re.fullmatch(OURS, text)]
        coloured = {key: part for key, part in on_page(figure).items() if key not in ("datasets", "params")}
        assert '"@' not in json.dumps(coloured)


def test_a_hostile_name_is_escaped_in_figures_and_tables(hostile, tmp_path, monkeypatch):
    for slow in ("svg_to_png", "svg_to_pdf"):
        monkeypatch.setattr(f"vl_convert.{slow}", lambda *_, **__: b"")
    write_figures([*drawn(hostile.contents).values()][:2], tmp_path)
    harmless = {"svg", "defs", "linearGradient", "stop", "clipPath", "g", "path", "rect", "line", "text", "tspan"}
    for name in ("scores", "differences"):
        for element in ElementTree.parse(tmp_path / f"{name}.svg").iter():
            assert element.tag.rpartition("}")[2] in harmless
            assert not [name for name in element.attrib if name.startswith("on") or name.endswith("href")]
        _, *rows = csv.reader((tmp_path / f"{name}.csv").read_text(encoding="utf-8").splitlines())
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+")) or "\x1b" in cell]


def test_the_page_is_one_document_in_order_that_needs_nothing_else(of_task1):
    page = of_task1.to_html()
    read = Parsed(page)
    assert read.all("html") == [{"lang": "en"}]
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    assert {address.removeprefix("#") for address in read.values("href")} <= {*ids}
    charts = [attributes for _, attributes in read.elements if "data-chart" in attributes]
    assert len(charts) == 5
    for attributes in charts:
        assert attributes["role"] == "img" and attributes["aria-label"] and attributes["aria-describedby"] in ids
    assert not read.all("link") and not read.values("src")
    assert "url(" not in re.findall("<style>(.*?)</style>", page, re.DOTALL)[0]
    [policy] = [a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe-eval" not in policy


def test_a_report_of_counts_alone_draws_them():
    report = one_step.report({"q": ["a"]}, {"q": ["a", "b"]}, task="trec", measures="num_ret", n_resamples=9)
    [[_, shown, *_]] = drawn(report.contents)["scores"].data.rows
    assert shown.value == 2


def test_the_figures_are_written_in_every_form_or_not_at_all(call, tmp_path):
    folder = tmp_path / "new" / "figures"
    asked = ("report", *shown("4"), "--resamples", "99", "--figures")
    assert f"{folder}: 12 files" in done(call, *asked, folder)[1]
    for name in ALWAYS:
        for ending, head in (("pdf", b"%PDF-"), ("png", b"\x89PNG"), ("svg", b"<svg")):
            assert (folder / f"{name}.{ending}").read_bytes().startswith(head)
    [head, best, *_] = csv.reader((folder / "scores.csv").read_text(encoding="utf-8").splitlines())
    assert head[:4] == ["run", "Accuracy", "Accuracy low 95%", "Accuracy high 95%"]
    assert float(best[1]) == coliee_ir.evaluate(*shown("4")[:2]).measures["Accuracy"]
    (tmp_path / "taken" / "scores.svg").mkdir(parents=True)
    err = call(*asked, tmp_path / "taken")[2]
    assert mentions(err, f"{tmp_path / 'taken' / 'scores.svg'}: [cannot-write]")
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["scores.svg"]
