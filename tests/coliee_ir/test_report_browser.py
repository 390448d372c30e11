"""Reports in a real browser: the system's Chromium, driven by Playwright. Without one the tests are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import axe_playwright_python
import one_step
import pytest
from asserting import heard

import coliee_ir
import coliee_ir.examples
from coliee_ir.commands.leaderboard import EASY, webpage
from coliee_ir.commands.leaderboard.catalogue import Extras, everything

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES = Path(coliee_ir.examples.__file__).parent
TASK1 = [EXAMPLES / "task1" / name for name in ("gold.json", "bm25.txt", "dense.txt", "rerank.json")]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: reports are not tested in a browser"),
    pytest.mark.usefixtures("one_deal"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


class Opened(NamedTuple):
    """A page, and what it said and asked for while it was open."""

    page: Page
    said: list[str]
    asked: list[str]


Open = Callable[..., Opened]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens a report from disk, and waits until it is drawn."""
    contexts = []

    def open_page(path: Path, **options: object) -> Opened:
        context = browser.new_context(**{"viewport": {"width": 1100, "height": 900}, **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        found = Opened(page, [], [])
        page.on("console", lambda message: found.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: found.said.append(heard(error)))
        page.on("dialog", lambda dialog: (found.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: found.asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-drawn=yes]", timeout=30_000)
        return found

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    one_step.report(*TASK1, n_resamples=99, command="coliee-ir report").write_html(path)
    return path


def queries(page: Page) -> list[str]:
    """The queries in the order of the table."""
    return page.locator("#queries .open").all_inner_texts()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_opens_from_disk_without_a_word_and_without_the_network(
    opened: Open, report: Path, scheme: str
) -> None:
    page, said, asked = opened(report, color_scheme=scheme)
    assert said == []
    assert asked == [report.as_uri()]
    assert page.locator(".chart svg").count() == 5
    assert page.locator(".chart svg .mark-symbol path").count() > 9
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("task", ["task4", "tort"])
def test_a_task_of_answers_opens_without_a_word(opened: Open, tmp_path: Path, task: str) -> None:
    ending = "xml" if task == "task4" else "jsonl"
    runs = [EXAMPLES / task / f"{run}.{'txt' if task == 'task4' else 'jsonl'}" for run in ("ALPHA", "BETA")]
    path = tmp_path / "report.html"
    one_step.report(EXAMPLES / task / f"gold.{ending}", *runs, n_resamples=99).write_html(path)
    page, said, _ = opened(path)
    assert said == []
    page.locator("#queries .open").first.click()
    assert page.locator(".opened th[scope=row]").all_inner_texts() == ["ALPHA", "BETA"]
    assert "Answers; the right one is" in page.locator(".opened").inner_text()


def test_a_table_is_sorted_by_mouse_and_by_keyboard(opened: Open, report: Path) -> None:
    page, said, _ = opened(report)
    head = page.locator("#good table th").nth(1)
    column = page.locator("#good table tbody td:nth-child(2)")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert [text[:6] for text in column.all_inner_texts()] == ["0.4936", "0.3627", "0.2453"]
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert [text[:6] for text in column.all_inner_texts()] == ["0.2453", "0.3627", "0.4936"]
    page.locator("#good table th button").first.focus()
    page.keyboard.press("Space")
    assert page.locator("#good table tbody th").all_inner_texts() == ["bm25", "dense", "rerank"]
    assert head.get_attribute("aria-sort") is None
    assert said == []


def test_queries_are_ordered_by_difficulty_by_difference_and_as_given(opened: Open, report: Path) -> None:
    page, _, _ = opened(report)
    gold = list(coliee_ir.read_gold(TASK1[0]).queries)
    spread = page.locator("#queries tbody tr td:nth-child(4)")
    place = "() => document.querySelector('.chart[data-chart=queries] .mark-rect path').getAttribute('d')"
    hardest, drawn = queries(page), page.evaluate(place)
    assert hardest != gold
    page.get_by_label("most different first").check()
    values = [float(text) for text in spread.all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.get_by_label("as in the gold").focus()
    page.get_by_label("as in the gold").check()
    assert queries(page) == gold
    page.wait_for_function(f"before => ({place})() !== before", arg=drawn)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert queries(page) == hardest


def test_a_query_opens_by_mouse_and_by_keyboard(opened: Open, report: Path) -> None:
    page, said, _ = opened(report)
    button = page.get_by_role("button", name="002473", exact=True)
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    shown = page.locator(f"#{button.get_attribute('aria-controls')}")
    text = shown.inner_text()
    assert "026639" in text
    assert "✓ 1" in text
    assert "missed" in text
    assert shown.locator(".said", has_text="correct, rank 1").count() == 1
    assert shown.locator("tbody tr", has_text="correct").first.locator("td").all_inner_texts() == ["1", "1", "0"]
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "false"
    assert page.locator(".opened").count() == 0
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(".opened").count() == 2
    page.get_by_label("as in the gold").check()
    for row in page.locator(".opened").all():
        before = row.evaluate("row => row.previousElementSibling.querySelector('.open').getAttribute('aria-controls')")
        assert before == row.get_attribute("id")
    assert said == []


def test_pointing_at_a_cell_names_it_and_a_click_opens_its_query(opened: Open, report: Path) -> None:
    page, _, _ = opened(report)
    cell = page.locator(".chart[data-chart=queries] .mark-rect path").nth(5)
    cell.scroll_into_view_if_needed()
    cell.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    told = page.locator("#vg-tooltip-element tr").all_inner_texts()
    fields = [line.split("\t")[0].rstrip(": ") for line in told]
    assert heard(fields) == ["query", "run", "MicroF1", "relevant", "mean of runs"]
    cell.click()
    query = told[0].split()[-1]
    assert page.locator(".opened").count() == 1
    assert page.evaluate("document.activeElement.textContent") == query


@pytest.mark.parametrize("name", ["scores", "differences", "cutoffs", "tuning"])
def test_every_figure_tells_its_numbers_when_pointed_at(opened: Open, report: Path, name: str) -> None:
    page, _, _ = opened(report)
    kind = {"differences": "rect"}.get(name, "symbol")
    mark = page.locator(f".chart[data-chart={name}] .mark-{kind}.role-mark path").first
    mark.scroll_into_view_if_needed()
    mark.hover(force=True)  # in a matrix, a number lies over it
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert any(character.isdigit() for character in page.locator("#vg-tooltip-element").inner_text())


def colours(page: Page) -> tuple[str, str, str]:
    """Of the sheet, of a text of a chart, and of a point of it."""
    return tuple(
        page.evaluate(
            """() => {
              const of = (selector, what) => getComputedStyle(document.querySelector(selector))[what];
              const chart = '.chart[data-chart=scores]';
              return [of('body', 'backgroundColor'), of(`${chart} .role-axis-title text`, 'fill'),
                      of(`${chart} .mark-symbol path`, 'fill')];
            }"""
        )
    )


def test_charts_are_light_dark_and_printed_in_light(opened: Open, report: Path) -> None:
    page, _, _ = opened(report)
    light = colours(page)
    assert light == ("rgb(255, 255, 255)", "rgb(27, 27, 26)", "rgb(0, 114, 178)")
    page.emulate_media(color_scheme="dark")
    dark = colours(page)
    assert all(a != b for a, b in zip(light, dark, strict=True))
    page.emulate_media(media="print", color_scheme="dark")
    assert colours(page) == light


def test_hostile_names_are_only_text(opened: Open, tmp_path: Path) -> None:
    texts = [
        *("</script><script>alert(1)</script>", "<!--<script>", "<img/src=x/onerror=alert(1)>", '"/onfocus="alert(1)'),
        *("__proto__", "constructor", "toString", "datum.s", "javascript:alert(1)", "url(//evil.example)"),
    ]
    gold = {f"{text}q": [f"{text}d", f"{text}e"] for text in texts}
    ranked = {f"{text}q": [f"{text}d", "<b>wrong</b>"] for text in texts[1:]}
    (tmp_path / "kinds.csv").write_text(
        "query,category\n" + "".join('"{}","{}"\n'.format(f"{text}q".replace('"', '""'), "<b>k</b>") for text in texts)
    )
    runs = [coliee_ir.Run.of(ranked, tag=tag) for tag in texts]
    report = one_step.report(gold, *runs, task="1", n_resamples=9, categories=tmp_path / "kinds.csv")
    report.write_html(tmp_path / "r.html")
    page, said, asked = opened(tmp_path / "r.html")
    assert queries(page)[0].endswith("q")
    for button in page.locator("#queries .open").all():
        button.click()
    cell = page.locator(".chart[data-chart=queries] .mark-rect path").nth(30)
    cell.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert page.locator("#queries .opened").count() == len(texts)
    assert "<b>wrong</b>" in page.locator(".opened").nth(3).inner_text()
    assert page.locator("img, script[src]").count() == 0
    assert not {"wrong", "k"} & set(page.locator("b").all_inner_texts())
    names = page.locator(".chart[data-chart=scores] .role-axis-label text").all_text_contents()
    assert {"__proto__", "constructor", "<!--<script>"} <= set(names)
    assert said == []
    assert asked == [(tmp_path / "r.html").as_uri()]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of 54 runs, some with tags of 80 letters."""
    folder = tmp_path_factory.mktemp("many")
    gold = {f"{n:06}": [f"{n + 100:06}"] for n in range(1, 13)}
    runs = [
        coliee_ir.Run.of(
            {f"{n:06}": [f"{n + 100:06}" if (n * 7 + at) % 54 < 40 else "000999"] for n in range(1, 13)},
            tag=f"run{at}" if at % 9 else f"{at:02}" + "x" * 78,
        )
        for at in range(54)
    ]  # fmt: skip
    one_step.report(gold, *runs, task="1", n_resamples=9).write_html(folder / "many.html")
    return folder / "many.html"


def test_with_54_runs_a_query_opens_in_a_box_of_its_own(opened: Open, many: Path) -> None:
    page, said, _ = opened(many)
    button = page.locator("#queries .open").first
    button.click()
    heads = page.locator("#queries > thead th")
    assert all(head.bounding_box()["x"] < 1100 for head in heads.all())  # type: ignore[index]
    box = page.locator(".opened .scroll")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth && box.tabIndex === 0")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    long = box.locator("thead th[title^='00x']")
    assert long.bounding_box()["width"] < 200  # type: ignore[index]
    page.set_viewport_size({"width": 375, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    first = page.locator("#good tbody tr").first.locator("td").first.bounding_box()
    assert first is not None and first["x"] < 375  # a tag leaves room for the scores
    assert said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["report", "results"])
def test_axe_finds_nothing(
    opened: Open, browser: Browser, report: Path, tmp_path: Path, scheme: str, kind: str
) -> None:
    axe = Path(axe_playwright_python.__file__).parent
    path = report
    if kind == "results":
        board = one_step.leaderboard(*TASK1, task="1", n_resamples=9)
        path = tmp_path / "page.html"
        path.write_text(webpage.page(board, everything(board, Extras(EASY))[0]), encoding="utf-8")
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(path.as_uri())
    if kind == "report":
        page.wait_for_selector("html[data-drawn=yes]", timeout=30_000)
        page.locator("#queries .open").first.click()
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.evaluate((axe / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations.map(one => [one.id, one.nodes[0].html])")
    context.close()
    assert found == []
