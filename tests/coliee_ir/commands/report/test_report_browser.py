"""Reports in a real browser: the system's Chromium, driven by Playwright. Without one the tests are skipped."""

import os
import shutil
from collections import namedtuple
from pathlib import Path

import axe_playwright_python
import one_step
import pytest
from asserting import heard
from example_runs import EXAMPLES

import coliee_ir
from coliee_ir.commands.edition import Edition, Public, TaskPart
from coliee_ir.commands.edition.public import Pictures, pages

TASK1 = [EXAMPLES / "task1" / name for name in ("gold.json", "bm25.txt", "dense.txt", "rerank.json")]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: reports are not tested in a browser"),
    pytest.mark.usefixtures("one_deal"),
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


#: a page, and what it said and asked for while it was open
Opened = namedtuple("Opened", ["page", "said", "asked"])
TOOLTIP = "#vg-tooltip-element.visible"
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def opened(browser):
    """Opens a page from disk, and waits until it is drawn."""

    def open_page(path, **options):
        page = browser.new_context(**{"viewport": {"width": 1100, "height": 900}, **options}).new_page()
        found = Opened(page, [], [])
        page.on("console", lambda message: found.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: found.said.append(heard(error)))
        page.on("dialog", lambda dialog: (found.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: found.asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-drawn=yes], body.wide, body:not(:has(.chart))", timeout=30_000)
        return found

    return open_page


def written(folder, *arguments, **options):
    """The page of a report."""
    one_step.report(*arguments, n_resamples=99, **options).write_html(folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return written(tmp_path_factory.mktemp("report"), *TASK1, command="coliee-ir report")


@pytest.fixture(scope="module")
def sheet(opened, report):
    """The report, for all tests that leave it as they find it."""
    return opened(report)


def queries(page):
    """The queries in the order of the table."""
    return page.locator("#queries .open").all_inner_texts()


def test_pages_open_from_disk_without_a_word_and_without_the_network(sheet, report, opened, tmp_path):
    page, said, asked = sheet
    assert (said, asked) == ([], [report.as_uri()])
    assert page.locator(".chart svg").count() == 5
    assert page.locator(".chart svg .mark-symbol path").count() > 9
    answers = [EXAMPLES / "task4" / name for name in ("gold.xml", "ALPHA.txt", "BETA.txt")]
    page, said, _ = opened(written(tmp_path, *answers))
    page.locator("#queries .open").first.click()
    assert said == [] and "Answers; the right one is" in page.locator(".opened").inner_text()
    assert page.locator(".opened th[scope=row]").all_inner_texts() == ["ALPHA", "BETA"]


def test_a_table_is_sorted_by_mouse_and_by_keyboard(sheet):
    page, said, _ = sheet
    head = page.locator("#good table th").nth(2)
    runs = ["rerank", "dense", "bm25"]
    for press, sort, expected in (
        (head.locator("button").click, "descending", runs),
        (lambda: page.keyboard.press("Enter"), "ascending", runs[::-1]),
    ):
        press()
        assert head.get_attribute("aria-sort") == sort
        assert page.locator("#good table tbody th").all_inner_texts() == expected
    page.locator("#good table th button").first.focus()
    page.keyboard.press("Space")
    assert page.locator("#good table tbody th").all_inner_texts() == sorted(runs)
    assert (head.get_attribute("aria-sort"), said) == (None, [])


def test_queries_are_ordered_by_difficulty_by_difference_and_as_given(sheet):
    page, _, _ = sheet
    place = "() => document.querySelector('.chart[data-chart=queries] .mark-rect path').getAttribute('d')"
    hardest, drawn = queries(page), page.evaluate(place)
    page.get_by_label("most different first").check()
    values = [float(text) for text in page.locator("#queries tbody tr td:nth-child(4)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.get_by_label("as in the gold").check()
    assert queries(page) == list(coliee_ir.read_gold(TASK1[0]).queries) != hardest
    page.wait_for_function(f"before => ({place})() !== before", arg=drawn)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert queries(page) == hardest


def test_a_query_opens_by_mouse_and_by_keyboard(sheet):
    page, said, _ = sheet
    button, rows = page.get_by_role("button", name="002473", exact=True), page.locator(".opened")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    shown = page.locator(f"#{button.get_attribute('aria-controls')}")
    assert all(text in shown.inner_text() for text in ("026639", "✓ 1", "missed"))
    assert shown.locator(".said", has_text="correct, rank 1").count() == 1
    button.press("Enter")
    assert (button.get_attribute("aria-expanded"), rows.count()) == ("false", 0)
    for key in ("Space", "Tab", "Enter"):
        page.keyboard.press(key)
    assert rows.count() == 2
    while (still := page.locator("#queries .open[aria-expanded=true]")).count():
        still.first.click()
    assert (rows.count(), said) == (0, [])


def test_pointing_at_a_mark_tells_its_numbers_and_a_click_on_a_cell_opens_its_query(sheet):
    page, _, _ = sheet
    for name, kind in (("scores", "symbol"), ("differences", "rect"), ("cutoffs", "symbol"), ("tuning", "symbol")):
        page.mouse.move(0, 0)
        page.wait_for_selector(TOOLTIP, state="hidden")
        mark = page.locator(f".chart[data-chart={name}] .mark-{kind}.role-mark path").first
        mark.scroll_into_view_if_needed()
        mark.hover(force=True)  # in a matrix, a number lies over it
        page.wait_for_selector(TOOLTIP)
        assert any(character.isdigit() for character in page.locator(TOOLTIP).inner_text())
    cell = page.locator(".chart[data-chart=queries] .mark-rect path").nth(5)
    cell.scroll_into_view_if_needed()
    cell.hover()
    page.wait_for_function(f"() => document.querySelector('{TOOLTIP}')?.innerText.includes('query')")
    rows = [line.split("\t") for line in page.locator(f"{TOOLTIP} tr").all_inner_texts()]
    assert [row[0].rstrip(": ") for row in rows] == ["query", "run", "MicroF1", "relevant", "mean of runs"]
    cell.click()
    assert page.locator(".opened").count() == 1
    assert page.evaluate("document.activeElement.textContent") == rows[0][-1].split()[-1]
    page.keyboard.press("Enter")


def test_hostile_names_are_only_text(opened, tmp_path):
    texts = [
        *("</script><script>alert(1)</script>", "<!--<script>", "<img/src=x/onerror=alert(1)>", '"/onfocus="alert(1)'),
        *("__proto__", "constructor", "toString", "datum.s", "javascript:alert(1)", "url(//evil.example)"),
    ]
    gold = {f"{text}q": [f"{text}d", f"{text}e"] for text in texts}
    ranked = {f"{text}q": [f"{text}d", "<b>wrong</b>"] for text in texts[1:]}
    cells = ("{}q".format(text.replace('"', '""')) for text in texts)
    (tmp_path / "kinds.csv").write_text("query,category\n" + "".join(f'"{cell}","<b>k</b>"\n' for cell in cells))
    runs = [coliee_ir.Run.of(ranked, tag=tag) for tag in texts]
    path = written(tmp_path, gold, *runs, task="1", categories=tmp_path / "kinds.csv")
    page, said, asked = opened(path)
    for button in page.locator("#queries .open").all():
        button.click()
    page.locator(".chart[data-chart=queries] .mark-rect path").nth(30).hover()
    page.wait_for_selector(TOOLTIP)
    assert page.locator("#queries .opened").count() == len(texts)
    assert "<b>wrong</b>" in page.locator(".opened").nth(3).inner_text()
    assert page.locator("img, script[src]").count() == 0
    assert not {"wrong", "k"} & set(page.locator("b").all_inner_texts())
    names = page.locator(".chart[data-chart=scores] .role-axis-label text").all_text_contents()
    assert {"__proto__", "constructor", "<!--<script>"} <= set(names)
    assert (said, asked) == ([], [path.as_uri()])


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The page of a task on the public site."""
    edition = Edition("", "COLIEE", (), (TaskPart("1", str(TASK1[0])),), Public())
    made = pages([one_step.leaderboard(*TASK1, task="1", n_resamples=9)], edition, Pictures({}))
    path = tmp_path_factory.mktemp("public") / "task-1.html"
    path.write_text(str(made["task-1.html"]), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["report", "results"])
def test_pages_fit_any_width_and_axe_finds_nothing_in_light_and_dark(opened, report, results, kind):
    page, _, _ = opened(report if kind == "report" else results, bypass_csp=True)
    if kind == "report":
        page.locator("#queries .open").first.click()
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    for width in (390, 820, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(FITS)
    page.evaluate(Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8"))
    for scheme, rules in (("light", ""), ("dark", "runOnly: ['color-contrast'], ")):
        page.emulate_media(color_scheme=scheme)
        found = f"(await axe.run({{{rules}resultTypes: ['violations']}})).violations"
        assert page.evaluate(f"async () => {found}.map(one => [one.id, one.nodes[0].html])") == []
