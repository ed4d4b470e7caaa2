"""The site in a real browser: what a reader does with it, and what a hostile answer cannot."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from codejury.report.site import build
from codejury.report.site.build import build_site
from codejury.report.site.pages import slug
from codejury.report.site.serve import serving
from site_world import BAD, CROWD, EVIL, FIX, GOOD, HALF, crowded_site, shared_site

INSTALLER = Path(__file__).parents[3] / "scripts/install-browser"
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PAGES = {
    "board": "index.html",
    "pictures": "pictures.html",
    "cases": "cases.html",
    "compare": "compare.html",
    "news": "news.html",
    "method": "method.html",
    "model": f"models/{slug(EVIL)}.html",
    "case": "cases/repeat.html",
    "answer": f"answer.html#double/{slug(EVIL)}/1/",
}


@pytest.fixture(scope="module")
def site() -> Path:
    return shared_site()[1]


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with serving(site, 0) as served:
        yield served


@pytest.fixture(scope="module")
def crowd() -> Iterator[str]:
    """The address of a site with 64 models."""
    with serving(crowded_site(), 0) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The machine's Chromium, or Debian's in the cache. Without one these tests fail, and are not skipped."""
    found = subprocess.run([sys.executable, INSTALLER], stdout=subprocess.PIPE, text=True, check=True)
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=found.stdout.strip(), args=FLAGS)


class Visit:
    """A page that remembers what went wrong in it, and what it asked the network for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.set_default_timeout(20_000)
        visit = Visit(context.new_page())
        yield visit
        assert visit.complaints == []


def models_of(page: Page) -> list[str]:
    return page.locator("table.board tbody tr:not(.part) th a").all_inner_texts()


def settled(page: Page, name: str) -> None:
    """Until the page's script has done its work."""
    if name == "answer":
        page.wait_for_selector("#answer:not([aria-busy])")
    if name == "compare":
        page.wait_for_selector("#verdict *")
    if name == "board":
        until(page, "document.querySelector('#status').textContent.includes('of')")


# The board


def test_the_board_is_the_same_drawn_by_the_browser_as_written_by_the_program(
    visit: Visit, address: str, browser: Browser
) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        plain = context.new_page()
        plain.goto(f"{address}index.html")
        written = letters(plain)
    page = visit.page
    page.goto(f"{address}index.html")
    assert not page.locator("#reset").is_visible()
    page.click("button[data-sort=cost_per_solved]")
    until(page, "location.hash")
    page.click("#reset")
    until(page, "!location.hash")
    assert not page.locator("#reset").is_visible()
    assert letters(page) == written


def letters(page: Page) -> list[str]:
    """What the rows of the board say, whatever the space between it."""
    return ["".join(row.split()) for row in page.locator("table.board tr").all_text_contents()]


def test_a_click_on_a_heading_sorts_and_a_second_turns_it(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    assert models_of(page)[0] == GOOD
    page.click("button[data-sort=model]")
    expect(page.locator("th.c-model[aria-sort=ascending]")).to_be_visible()
    *names, apart = models_of(page)
    assert names == sorted(names, key=str.lower)
    page.click("button[data-sort=model]")
    expect(page.locator("th.c-model[aria-sort=descending]")).to_be_visible()
    assert models_of(page) == [*names[::-1], apart]  # who is not ranked stays apart


def test_a_filtered_view_has_notes_of_its_own(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    settled(page, "board")
    expect(page.locator("#notes")).to_contain_text(
        "Not ranked, for want of answers: gpt-4 (3 of 4 test cases)"
    )
    page.goto(f"{address}index.html#prompt=JuliaExpertAsk")
    expect(page.locator("#status")).to_contain_text("2 of 2 models")
    expect(page.locator("#notes")).not_to_contain_text("Not ranked")


def test_filters_search_and_columns_are_in_the_address_and_can_be_shared(
    visit: Visit, address: str, browser: Browser
) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    page.fill("#q", "tin")
    page.select_option("#category", "text")
    page.click(".chooser summary")
    page.check("#columns input[value=full]")
    page.uncheck("#columns input[value=cost]")
    until(page, "location.hash.includes('category=text') && location.hash.includes('columns=')")
    expect(page.locator("#status")).to_contain_text("2 of 4 models")
    shown = page.locator("table.board").inner_text()
    other = browser.new_page()
    other.goto(page.url)
    expect(other.locator("#status")).to_contain_text("2 of 4 models")
    assert other.locator("table.board").inner_text() == shown
    assert other.locator("th.c-full").count() == 1
    assert other.locator("th.c-cost").count() == 0
    assert other.input_value("#q") == "tin"
    other.close()


def test_an_experiment_without_a_name_can_be_chosen(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    page.select_option("#experiment", "first")
    expect(page.locator("#status")).to_contain_text("1 of 1 model")
    page.select_option("#experiment", "(none)")
    expect(page.locator("#status")).to_contain_text("4 of 4 models")
    assert GOOD not in models_of(page)


def test_a_combination_of_filters_without_answers_is_said_and_not_shown_as_chosen(
    visit: Visit, address: str
) -> None:
    page = visit.page
    page.goto(f"{address}index.html#prompt=AsIs")
    expect(page.locator("#status")).to_contain_text("1 answer to 1 test case")
    page.focus("#category")
    page.select_option("#category", "maths")
    expect(page.locator("#status")).to_contain_text("No answers: prompt AsIs, category maths.")
    expect(page.locator("#status")).to_contain_text("1 answer to 1 test case")
    assert page.input_value("#prompt") == "AsIs"
    assert page.input_value("#category") == ""


@pytest.fixture(scope="module")
def cut_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site with fewer boards and pairs than could be made."""
    tree, folder = shared_site()[0], tmp_path_factory.mktemp("cut") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "MOST_VIEWS", 8)
        patch.setattr(build, "MOST_MODELS", 2)
        build_site(tree.root, folder, definitions=tree.definitions)
    with serving(folder, 0) as served:
        yield served


def test_filters_whose_board_the_site_lacks_say_so(visit: Visit, cut_address: str) -> None:
    page = visit.page
    page.goto(f"{cut_address}index.html#prompt=InJulia&category=text")
    expect(page.locator("#status")).to_contain_text(
        "Not part of this site, or without answers: prompt InJulia"
    )
    expect(page.locator("#status")).to_contain_text("8 combinations of filters; ")
    assert page.input_value("#prompt") == "InJulia"
    assert page.input_value("#category") == ""
    page.select_option("#prompt", "")
    expect(page.locator("#status")).not_to_contain_text("Not part")


def test_a_model_that_is_too_low_to_be_compared_is_named_and_the_page_says_who_is_there(
    visit: Visit, cut_address: str
) -> None:
    page = visit.page
    page.goto(f"{cut_address}models/{slug(BAD)}.html")
    page.get_by_role("link", name="Compare with another model").click()
    expect(page.locator("#verdict")).to_contain_text(f"{BAD} cannot be chosen on this page.")
    expect(page.locator("#left-out")).to_contain_text("The 2 highest models of the board are here. 3 more")


def test_what_is_shown_can_be_downloaded(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html#q=tin")
    expect(page.locator("#status")).to_contain_text("2 of 5 models")
    with page.expect_download() as download:
        page.click("#csv")
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0].startswith("model,rank_low,rank_high,solved,low,high,score")
    assert [line.partition(",")[0] for line in lines[1:]] == models_of(page)


def test_the_first_view_is_small(visit: Visit, address: str) -> None:
    page = visit.page
    sizes: list[int] = []
    page.on("response", lambda reply: sizes.append(len(reply.body())))
    page.goto(f"{address}index.html")
    settled(page, "board")
    assert 20_000 < sum(sizes) < 500_000


MOVES = (
    "window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())"
    " if (!one.hadRecentInput) window.shift += one.value; })"
    ".observe({type: 'layout-shift', buffered: true})"
)


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_a_board_of_64_models_keeps_its_budgets(visit: Visit, crowd: str, width: int) -> None:
    """Of the first view: bytes over the wire, files asked for, elements drawn, and how far things move."""
    page = visit.page
    sizes: list[int] = []
    page.on("response", lambda reply: sizes.append(len(reply.body())))
    page.set_viewport_size({"width": width, "height": 844})
    page.add_init_script(MOVES)
    page.goto(f"{crowd}index.html")
    settled(page, "board")
    page.wait_for_timeout(150)
    assert 20_000 < sum(sizes) < 300_000
    assert len(visit.requests) < 10
    assert page.evaluate("document.querySelectorAll('*').length") < 3_000
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("window.shift") < 0.1


PHONE = {"width": 390, "height": 844}
ROWS = "table.board tbody tr:not(.part):not(.opened)"


def top_of(page: Page, selector: str) -> float:
    return float(page.evaluate("it => document.querySelector(it).getBoundingClientRect().top", selector))


def test_on_a_phone_the_first_row_of_the_ranking_is_seen_without_scrolling(
    visit: Visit, address: str, crowd: str
) -> None:
    page = visit.page
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for served in (address, crowd):
        page.goto(f"{served}index.html")
        settled(page, "board")
        row = page.locator(ROWS).first.bounding_box()
        assert row
        assert row["y"] + row["height"] < PHONE["height"]


def test_on_a_desktop_the_ranking_starts_in_the_first_third(visit: Visit, address: str, crowd: str) -> None:
    page = visit.page
    for served in (address, crowd):
        page.goto(f"{served}index.html")
        settled(page, "board")
        assert top_of(page, "table.board") < 900 / 3


def test_notes_are_folded_into_one_line_that_counts_them(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    settled(page, "board")
    notes = page.locator("#notes li").count()
    assert page.locator("#notes summary").inner_text() == f"{notes} things to know"
    assert not page.locator("#notes li").first.is_visible()
    page.click("#notes summary")
    assert page.locator("#notes li").first.is_visible()


def test_filters_are_behind_a_button_on_a_phone_and_the_button_counts_them(
    visit: Visit, address: str
) -> None:
    page = visit.page
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto(f"{address}index.html")
    settled(page, "board")
    assert not page.locator("#category").is_visible()
    page.click("#filter-button")
    page.select_option("#category", "maths")
    expect(page.locator("#filter-button")).to_have_text("Filters (1)")


def test_a_long_board_shows_the_first_rows_and_all_when_asked(visit: Visit, crowd: str) -> None:
    page = visit.page
    page.goto(f"{crowd}index.html")
    settled(page, "board")
    assert page.locator(ROWS).count() == 20
    page.click("#unfold")
    until(page, "location.hash.includes('all=1')")
    assert page.locator(ROWS).count() == 64
    assert not page.locator("#unfold").is_visible()


def test_a_row_opens_to_levels_kinds_and_failures_and_has_an_address(
    visit: Visit, crowd: str, browser: Browser
) -> None:
    page = visit.page
    page.goto(f"{crowd}index.html")
    settled(page, "board")
    page.locator(".opener").nth(19).click()
    expect(page.locator(".opened")).to_contain_text("By level")
    assert page.locator(".opened section").nth(0).locator("dt").all_inner_texts() == ["core", "hard"]
    assert page.locator(".opened section").nth(1).locator("dt").all_inner_texts() == ["write", "speed"]
    page.locator(".opened li a").first.click()
    settled(page, "answer")
    expect(page.locator("h1 .badge")).to_have_text("fail")
    page.go_back()
    expect(page.locator(".opened")).to_be_visible()


def test_the_address_of_a_row_far_down_leads_to_it(visit: Visit, crowd: str) -> None:
    page = visit.page
    page.goto(f"{crowd}index.html#all=1")
    settled(page, "board")
    last = page.locator(f"{ROWS} .opener").last.get_attribute("data-row")
    page.goto("about:blank")
    page.goto(f"{crowd}index.html#row={last}")
    expect(page.locator(".opened")).to_be_in_viewport()


def test_a_point_of_the_picture_of_prices_leads_to_its_model(visit: Visit, crowd: str) -> None:
    page = visit.page
    page.goto(f"{crowd}index.html")
    best = page.locator(".price-picture.wide a.best").last
    name = (best.get_attribute("aria-label") or "").partition(":")[0]
    assert name in CROWD
    best.locator(".dot").click()
    expect(page.locator("h1")).to_have_text(name)


def test_an_embedded_board_is_the_bare_table_with_a_way_out(visit: Visit, crowd: str) -> None:
    page = visit.page
    page.goto(f"{crowd}index.html?embed=1#level=hard")
    expect(page.locator(ROWS)).to_have_count(64)
    assert top_of(page, "table.board") < 20
    for selector in (".top", "h1", ".toolbar", ".price", "footer", "h2"):
        assert not page.locator(selector).first.is_visible(), selector
    assert page.get_by_role("link", name="The whole board").is_visible()


# From a number to the answer


def test_an_answer_is_two_clicks_from_the_board(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    page.click(f"tr:has(th:has-text('{GOOD}')) td.c-score a")
    page.click("#answers ~ .scroll .chip >> nth=0")
    settled(page, "answer")
    expect(page.locator("h1")).to_contain_text("Solved: all 4 unit tests pass")
    expect(page.locator(".message.assistant")).to_contain_text("right(x) = 2x")
    assert len([url for url in visit.requests if "/answers/" in url]) == 1


def test_an_answer_tells_how_fast_it_is_or_why_nobody_knows(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}answer.html#double/{slug(GOOD)}/1/")
    settled(page, "answer")
    expect(page.get_by_role("region", name="Speed")).to_contain_text("double(x)")
    cells = page.get_by_role("region", name="Speed").locator("td.n").all_inner_texts()
    assert cells == ["2.00 × noisy", "25.0 µs", "1,600", "0", "no"]
    expect(page.locator("#performance + p")).to_contain_text("2.00 × as fast as the reference solution")
    page.goto(f"{address}answer.html#double/{slug(EVIL)}/1/")
    settled(page, "answer")
    expect(page.locator("#performance + p")).to_contain_text("Not measured: statement 1: <img")
    page.goto(f"{address}index.html")
    expect(page.locator(f"tr:has(th:has-text('{GOOD}')) td.c-speed")).to_have_text("2.00 ×")


def test_an_answer_begins_with_the_verdict_why_it_failed_and_the_code(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}answer.html#repeat/{slug(EVIL)}/1/")
    settled(page, "answer")
    expect(page.locator("h1")).to_have_text("fail 0 of 4 unit tests pass")
    titles = page.locator("h2").all_inner_texts()
    assert titles[:2] == ["Why it fails", "The code that was run"]
    assert titles[-1] == "Figures and files"
    expect(page.get_by_text("Not installed")).to_have_count(0)  # nothing is missing
    expect(page.locator(".reason").first).to_contain_text("@test repeat(2) == 4")
    assert not page.locator("table.verdicts").is_visible()
    page.locator("summary", has_text="see each").click()
    assert page.locator("table.verdicts").is_visible()


def test_a_test_case_begins_with_the_task_and_who_solves_it(visit: Visit, crowd: str) -> None:
    page = visit.page
    page.goto(f"{crowd}cases/halve.html")
    assert page.locator("h2").all_inner_texts()[:2] == ["The task", "Who solves it"]
    assert top_of(page, "#task") < 300
    assert top_of(page, "#solvers") < 300
    shown = page.locator(".chips.names").first.locator(".chip")
    assert shown.count() == 12
    shown.first.click()
    settled(page, "answer")
    expect(page.locator("h1 .badge")).to_have_text("pass")


def test_a_block_is_drawn_as_long_as_the_judge_takes_it(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}answer.html#repeat/{slug(GOOD)}/1/")
    settled(page, "answer")
    code = '"""\n  ```jldoctest\njulia> f(1)\n```\n"""\nf(x) = x'
    texts = {f"Here:\n```julia\n{code}\n```\nDone.": [[1, 9]], f"```julia\n{code}": [[0, 7]]}
    drawn = "([text, spans]) => Codejury.markdown.render(text, spans).querySelector('pre').textContent"
    taken = "([text, spans]) => Codejury.markdown.code(text, spans)"
    for text, spans in texts.items():
        assert page.evaluate(drawn, [text, spans]) == code
    assert page.evaluate(taken, list(next(iter(texts.items())))) == code


def test_next_and_previous_walk_through_all_answers_to_a_test_case(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}answer.html#repeat/{slug(EVIL)}/1/")  # models come by name
    settled(page, "answer")
    seen = [page.url]
    while "#repeat/" in turned(page, "ArrowRight"):
        seen.append(page.url)
    assert len(set(seen)) == len(seen) == 8  # one, one, four with the repair, two
    assert "#repeat/" in turned(page, "ArrowLeft")


def until(page: Page, expression: str, arg: object = None) -> None:
    """Wait for a condition. Playwright's own way polls with `eval`, which the site's policy forbids."""
    deadline = time.monotonic() + 20
    while not page.evaluate(expression, arg):
        assert time.monotonic() < deadline, expression
        time.sleep(0.02)


def turned(page: Page, key: str) -> str:
    """Press a key and wait for the other answer; its address."""
    before = page.url
    page.keyboard.press(key)
    until(page, "url => location.href !== url", arg=before)
    until(page, "document.querySelector('#answer').dataset.at === location.hash")
    return page.url


def test_repair_rounds_are_told_as_a_sequence_with_a_diff(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}answer.html#repeat/{slug(HALF)}/1/")
    settled(page, "answer")
    page.get_by_text("All 4 answers of this model").click()
    page.click(f".chip[title*='{FIX[0]}']")
    expect(page.get_by_role("heading", name="Repair round 1")).to_be_visible()
    assert "right(x) = 2x" in page.locator(".diff .add").first.inner_text()
    assert "def wrong(x):" in page.locator(".diff .del").first.inner_text()
    page.get_by_role("link", name="see its verdicts").click()
    expect(page.locator("h1 .badge")).to_have_text("fail")


def test_an_old_or_foreign_address_is_answered_with_words(visit: Visit, address: str) -> None:
    page = visit.page
    for tail in (
        "nowhere/nobody/1/x",
        "../../x/1/y",
        "https:evil.example/x/1/",
        f"repeat/{slug(GOOD)}/1/gone",
    ):
        page.goto("about:blank")
        page.goto(f"{address}answer.html#{tail}")
        expect(page.get_by_role("alert")).to_contain_text("cannot be shown")
    assert not [url for url in visit.requests if not url.startswith((address, "about:"))]
    visit.complaints.clear()  # of the browser, about the file that is not there


def test_an_answer_of_the_predecessor_says_what_was_not_recorded(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}answer.html#double/{slug('gpt-4')}/1/")
    settled(page, "answer")
    expect(page.locator("main")).to_contain_text("holds counts only")


# Two models


def test_two_models_are_compared_and_can_be_swapped(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}compare.html#a={GOOD}&b={HALF}")
    settled(page, "compare")
    first = page.locator("#verdict dd").first.inner_text()
    assert float(first) > 0
    expect(page.locator("#verdict")).to_contain_text("would be seen with about 6 test cases")
    page.click("#swap")
    until(page, "location.hash.startsWith('#a=ollama')")
    assert float(page.locator("#verdict dd").first.inner_text()) == -float(first)
    page.click("#cases tbody tr:first-child td.n a >> nth=0")
    settled(page, "answer")
    expect(page.locator(".crumbs")).to_contain_text(HALF)


# Everybody, everywhere


def test_the_site_works_by_keyboard_alone(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    settled(page, "board")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    tab_to(page, "button[data-sort=score]")
    page.keyboard.press("Enter")
    expect(page.locator("th.c-score[aria-sort=descending]")).to_be_visible()
    assert page.evaluate("document.activeElement.dataset.sort") == "score"
    tab_to(page, "table.board tbody th a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/*")
    tab_to(page, ".chip")
    page.keyboard.press("Enter")
    page.wait_for_url("**/answer.html**")
    settled(page, "answer")


def tab_to(page: Page, selector: str) -> None:
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached with the Tab key")


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(visit: Visit, address: str, name: str) -> None:
    page = visit.page
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.goto("about:blank")
        page.goto(f"{address}{PAGES[name]}")
        settled(page, name)
        assert serious_faults(page) == [], f"{name} in {scheme}"


def serious_faults(page: Page) -> list[Any]:
    found: Any = Axe().run(page).response["violations"]
    return [
        (rule["id"], node["target"], node.get("failureSummary"))
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def test_axe_finds_nothing_serious_in_a_long_board_with_an_open_row(visit: Visit, crowd: str) -> None:
    page = visit.page
    page.goto(f"{crowd}index.html")
    settled(page, "board")
    page.locator(".opener").nth(3).click()
    expect(page.locator(".opened")).to_be_visible()
    assert serious_faults(page) == []


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_its_window_or_moves_while_it_loads(
    visit: Visit, address: str, name: str, width: int
) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": 844})
    page.add_init_script(MOVES)
    page.goto(f"{address}{PAGES[name]}")
    settled(page, name)
    page.wait_for_timeout(150)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("window.shift") < 0.1


def test_the_board_can_be_printed_and_read_without_script(browser: Browser, address: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}index.html")
        assert page.locator("table.board tbody tr:not(.part)").count() == 5
        assert not page.locator("#q").is_visible()
        page.emulate_media(media="print")
        assert not page.locator(".top nav").is_visible()
        page.goto(f"{address}pictures.html")
        assert page.locator("figure img").first.get_attribute("alt")


# Pictures


def test_every_picture_answers_to_the_pointer_and_has_words(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}pictures.html")
    charts = page.locator("[data-chart]")
    for index in range(charts.count()):
        chart = charts.nth(index)
        chart.scroll_into_view_if_needed()
        expect(chart).to_have_attribute("data-live", "yes")
        assert len(chart.locator("svg").first.get_attribute("aria-label") or "") > 20
    assert charts.count() >= 4
    page.locator("[data-chart=heat] svg .mark-rect path").first.hover(position={"x": 12, "y": 12})
    expect(page.locator(".tip")).to_be_visible()


def test_pictures_are_listed_and_drawn_when_they_come_into_view(visit: Visit, crowd: str) -> None:
    page = visit.page
    page.goto(f"{crowd}pictures.html")
    expect(page.locator("[data-chart]").first).to_have_attribute("data-live", "yes")
    last = page.locator("[data-chart]").last
    assert last.get_attribute("data-live") is None
    names = [box.get_attribute("data-chart") for box in page.locator("[data-chart]").all()]
    links = [link.get_attribute("href") for link in page.locator(".contents a").all()]
    assert links == [*(f"#{name}" for name in names), "#scores"]
    page.locator(".contents a").nth(len(names) - 1).click()
    expect(last).to_have_attribute("data-live", "yes")


# From the disk, and hostile


def test_the_site_works_from_the_disk(visit: Visit, site: Path) -> None:
    page = visit.page
    page.goto(f"file://{site}/index.html")
    page.select_option("#category", "maths")
    expect(page.locator("#status")).to_contain_text("2 test cases")
    page.click("table.board tbody th a >> nth=0")
    page.click(".chip >> nth=0")
    settled(page, "answer")
    expect(page.locator("h2").first).to_have_text("The code that was run")
    page.goto(f"file://{site}/compare.html")
    settled(page, "compare")
    page.goto(f"file://{site}/pictures.html")
    expect(page.locator("[data-chart]").first).to_have_attribute("data-live", "yes")
    assert all(url.startswith(("file:", "blob:")) for url in visit.requests)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_hostile_runs_or_asks_the_network(visit: Visit, address: str, name: str) -> None:
    page = visit.page
    page.goto(f"{address}{PAGES[name]}")
    settled(page, name)
    if name == "answer":
        expect(page.locator("main")).to_contain_text("<script>window.pwned=5</script>")
        expect(page.locator("main")).to_contain_text("onerror")
        page.get_by_role("button", name="As plain text").click()
        expect(page.locator(".message.assistant pre.wrap")).to_be_visible()
        page.get_by_role("button", name="As plain text").click()
        assert page.locator("main img, main script, main style, main meta, main iframe").count() == 0
        links = [link.get_attribute("href") for link in page.locator(".message.assistant a").all()]
        assert links == ['https://example.org/x?a=1&b="2"']
    assert page.evaluate("window.pwned") is None
    assert all(url.startswith((address, "blob:", "data:")) for url in visit.requests)
    assert page.locator("h1").is_visible()


def test_the_policy_stops_script_even_where_markup_got_in(visit: Visit, address: str) -> None:
    """The second wall: the guard above is that text never becomes markup."""
    page = visit.page
    page.goto(f"{address}index.html")
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            try { script.textContent = "window.pwned = 7"; document.body.append(script); } catch {}
            const image = document.createElement("img");
            try { image.setAttribute("onerror", "window.pwned = 8"); image.src = "nowhere.png"; } catch {}
            document.body.append(image);
            try { document.body.innerHTML = "<img src=x onerror=window.pwned=9>"; } catch {}
            try { setTimeout("window.pwned = 10", 0); } catch {}
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.pwned") is None
    assert page.locator("h1").is_visible()
    assert visit.complaints
    visit.complaints.clear()


def test_bad_names_are_in_the_page_as_they_are(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    assert EVIL in models_of(page)
    page.click(f"a:has-text('{EVIL}')")
    expect(page.locator("h1")).to_have_text(EVIL)
    assert BAD not in page.locator("main").inner_text()
