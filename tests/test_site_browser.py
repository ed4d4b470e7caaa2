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

from codejury.site.serving import serving
from codejury.site.slugs import slug
from site_world import BAD, EVIL, FIX, GOOD, HALF, shared_site

INSTALLER = Path(__file__).parent.parent / "scripts/install-browser"
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PAGES = {
    "board": "index.html",
    "pictures": "pictures.html",
    "cases": "cases.html",
    "compare": "compare.html",
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
    page.click("button[data-sort=cost]")
    until(page, "location.hash")
    page.click("#reset")
    until(page, "!location.hash")
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


def test_what_is_shown_can_be_downloaded(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html#q=tin")
    expect(page.locator("#status")).to_contain_text("2 of 5 models")
    with page.expect_download() as download:
        page.click("#csv")
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0].startswith("model,rank_low,rank_high,score,low,high,strict")
    assert [line.partition(",")[0] for line in lines[1:]] == models_of(page)


def test_the_first_view_is_small(visit: Visit, address: str) -> None:
    page = visit.page
    sizes: list[int] = []
    page.on("response", lambda reply: sizes.append(len(reply.body())))
    page.goto(f"{address}index.html")
    settled(page, "board")
    assert 20_000 < sum(sizes) < 500_000


# From a number to the answer


def test_an_answer_is_two_clicks_from_the_board(visit: Visit, address: str) -> None:
    page = visit.page
    page.goto(f"{address}index.html")
    page.click(f"tr:has(th:has-text('{GOOD}')) td.c-strict a")
    page.click("#answers ~ .scroll .chip >> nth=0")
    settled(page, "answer")
    expect(page.locator("h1")).to_contain_text("InJulia")
    expect(page.locator(".message.assistant")).to_contain_text("right(x) = 2x")
    assert len([url for url in visit.requests if "/answers/" in url]) == 1


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
    page.goto(f"{address}answer.html#repeat/{slug(GOOD)}/1/")
    settled(page, "answer")
    seen = [page.url]
    while "#repeat/" in turned(page, "ArrowRight"):
        seen.append(page.url)
    assert len(set(seen)) == len(seen) == 8  # two, four with the repair, one, one
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
    page.click("details summary")
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
    tab_to(page, "button[data-sort=strict]")
    page.keyboard.press("Enter")
    expect(page.locator("th.c-strict[aria-sort=descending]")).to_be_visible()
    assert page.evaluate("document.activeElement.dataset.sort") == "strict"
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
        found: Any = Axe().run(page).response["violations"]
        serious = [
            (rule["id"], node["target"], node.get("failureSummary"))
            for rule in found
            if rule["impact"] in ("serious", "critical")
            for node in rule["nodes"]
        ]
        assert serious == [], f"{name} in {scheme}"


@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_a_phone_or_moves_while_it_loads(visit: Visit, address: str, name: str) -> None:
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())"
        " if (!one.hadRecentInput) window.shift += one.value; })"
        ".observe({type: 'layout-shift', buffered: true})"
    )
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


# From the disk, and hostile


def test_the_site_works_from_the_disk(visit: Visit, site: Path) -> None:
    page = visit.page
    page.goto(f"file://{site}/index.html")
    page.select_option("#category", "maths")
    expect(page.locator("#status")).to_contain_text("2 test cases")
    page.click("table.board tbody th a >> nth=0")
    page.click(".chip >> nth=0")
    settled(page, "answer")
    expect(page.locator("h2").first).to_have_text("Verdicts")
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
