"""The page of a heap in a real browser: unfolds, zooms, finds, and runs nothing of the heap."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browser.driving import BROWSER, DRIVER, Page, browser
from builders.hostile import ALL
from builders.hprof_builder import Builder, FrameSpec
from builders.jvm import compile_java
from heap.test_planted_leak import planted
from selenium.webdriver.common.keys import Keys

from mprof.cli.heap_text import headline
from mprof.hadoop.java import java_home
from mprof.heap import Heap
from mprof.heap.browse import picture_of
from mprof.objects.summary import summarise_dump
from mprof.report.heap import page_of
from mprof.report.heap.server import heap_handler
from mprof.report.serving import served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        BROWSER is None or DRIVER is None,
        reason="no Chromium with its driver on this machine: install chromium chromium-driver",
    ),
]

VIEWS = ("tree", "flame", "classes", "threads")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as opened:
        yield opened


@pytest.fixture
def narrow() -> Iterator[Page]:
    with browser(width=500) as opened:
        size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
        opened.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield opened


def _dump(text: str) -> bytes:
    """A shelf of boxes below a static; whatever can be named is, and ends in a text."""
    builder = Builder()
    name = f"shop.Box{text}"
    builder.class_(name, fields={f"label{text}": "object", "size": "int"})
    boxes = [
        builder.instance(
            name, **{f"label{text}": builder.string(f"{n} {text}{'x' * 2000}"), "size": n}
        )
        for n in range(100)
    ]
    shelf = builder.array(name, boxes)
    builder.class_("shop.Shelf", fields={"boxes": "object", "spare": "object"})
    spare = builder.primitives("byte", [1] * 3000)
    top = builder.instance("shop.Shelf", boxes=shelf, spare=spare)
    builder.class_(f"shop.Main{text}", statics={f"SHELF{text}": ("object", top)})
    frames = [
        FrameSpec(f"shop.Main{text}", f"main{text}", f"Main{text}.java", 9, [top, *boxes[:3]])
    ]
    builder.thread(f"main {text}", frames)
    return builder.build()


def _opened(folder: Path, text: str = "") -> tuple[Heap, Callable[[bool], str]]:
    dump = folder / "shop.hprof"
    dump.write_bytes(_dump(text))
    heap, summary = summarise_dump(dump)
    picture = picture_of(heap, summary, headline(summary))
    return heap, lambda live: page_of(picture, live=live)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("heap")
    _, make = _opened(folder)
    (folder / "index.html").write_text(make(False), encoding="utf-8")
    return folder


def _rows(page: Page) -> list[str]:
    return [" ".join(row.text.split()) for row in page.all(".tree .row")]


@contextmanager
def _served(folder: Path, text: str = "") -> Iterator[str]:
    heap, make = _opened(folder, text)
    heap.referrers(0)
    with served(heap_handler(heap, make(True)), "127.0.0.1", 0) as address:
        yield address


# --- what it shows --------------------------------------------------------------------------------


def test_the_tree_unfolds_from_the_keyboard(page: Page, site: Path) -> None:
    page.open(site)
    assert page.text("#headline").startswith("Static shop.Main.SHELF.boxes holds")
    assert "the heap" in _rows(page)[0]

    page.run("document.querySelector('.tree .row').focus()")
    page.press(Keys.HOME, Keys.ARROW_LEFT)
    assert 1 == len(_rows(page))
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert "shop.Shelf" in page.run("return document.activeElement.textContent")
    # Boxes that are small are together; the array and those alone stand below it.
    page.press(Keys.ENTER)
    assert re.match(r"#object-0x[0-9a-f]+", page.fragment)
    assert "boxes" in page.text("#panel")
    page.press(Keys.ESCAPE)
    assert not page.find("#panel").is_displayed()


def test_a_link_opens_the_object_and_where_it_stands(page: Page, site: Path) -> None:
    page.open(site)
    link = page.find("#holders a").get_attribute("href")
    page.open(site, link.partition("#")[2])

    assert "shop.Shelf" in page.text("#panel h2") or "shop.Box" in page.text("#panel h2")
    chosen = page.find('.tree .row[aria-selected="true"]')
    assert page.text("#panel .id") in chosen.text
    assert "Path from a root" in page.text("#panel")


def test_bars_of_the_flame_graph_zoom_and_are_as_wide_as_their_bytes(
    page: Page, site: Path
) -> None:
    page.open(site, "flame")
    bars = page.all(".flame .bar")
    widths = [
        float(bar.find_element("css selector", "rect").get_attribute("width")) for bar in bars
    ]
    shares = [
        float(found[1]) / 100 if (found := re.search(r"([\d.]+) % of the heap", label)) else None
        for label in (bar.get_attribute("aria-label") for bar in bars)
    ]
    assert "the heap" in bars[0].get_attribute("aria-label")
    for width, share in zip(widths, shares, strict=True):
        if share is not None:
            assert abs(width / widths[0] - share) < 0.011

    labels = [bar.get_attribute("aria-label") for bar in bars]
    bars[2].click()
    zoomed = page.find(".flame .bar[data-zoomed]")
    assert labels[2] == zoomed.get_attribute("aria-label")
    assert widths[0] == float(zoomed.find_element("css selector", "rect").get_attribute("width"))
    page.run("document.querySelector('.flame .bar[data-zoomed]').focus()")
    page.press(Keys.ESCAPE)
    assert labels[1] == page.find(".flame .bar[data-zoomed]").get_attribute("aria-label")


def test_search_finds_classes_fields_texts_and_threads(page: Page, site: Path) -> None:
    page.open(site)
    page.press("/")
    page.find("#q").send_keys("shop.box")
    assert "shop.Box" in page.text("#panel")
    page.find("#q").clear()
    page.find("#q").send_keys("main")
    assert "main" in page.text("#panel")
    page.click('#panel a[href^="#thread-"]')
    assert "shop.Main.main" in page.text("#view")
    assert page.all(".frame a")


def test_classes_are_sorted_by_what_is_clicked(page: Page, site: Path) -> None:
    page.open(site, "classes")
    first = page.text("table.classes tbody tr td:nth-child(5)")
    page.all("table.classes th button")[0].click()
    counts = [
        int(cell.text.replace(",", "")) for cell in page.all("table.classes tbody td:first-child")
    ]
    assert counts == sorted(counts, reverse=True)
    assert first
    page.click("table.classes tbody a")
    assert "objects" in page.text("#panel") or "object" in page.text("#panel")


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_wider_than_a_phone(narrow: Page, site: Path, view: str) -> None:
    narrow.open(site, view)
    assert 390 == narrow.run("return innerWidth")
    assert narrow.run("return document.documentElement.scrollWidth") <= 390
    link = narrow.find("#holders a").get_attribute("href").partition("#")[2]
    narrow.open(site, link)
    assert narrow.run("return document.documentElement.scrollWidth") <= 390


def test_the_server_tells_of_objects_that_are_not_in_the_page(page: Page, tmp_path: Path) -> None:
    with _served(tmp_path) as address:
        page.driver.get(address)
        page.settle()
        box = page.run(
            "return JSON.parse(document.getElementById('picture').textContent).threads"
            ".flatMap((t) => t.frames).flatMap((f) => f.locals)"
            ".find((l) => l.class === 'shop.Box').id"
        )
        page.driver.get(f"{address}#object-{box}")
        page.until(lambda: "Referred to by" in page.text("#panel"))
        assert (
            "by [0]" in page.text("#panel")
            or "by [1]" in page.text("#panel")
            or "by [2]" in page.text("#panel")
        )
        assert "size int" in page.text("#panel")
        page.driver.get(f"{address}#object-0x77")
        page.until(lambda: "is not there" in page.text("#panel"))
        page.driver.get(f"{address}#class-shop.Main")
        page.until(lambda: "Static fields" in page.text("#panel"))


# --- what it does not do --------------------------------------------------------------------------


@pytest.mark.parametrize("is_served", [False, True])
def test_names_and_texts_of_a_heap_are_never_markup(
    page: Page, tmp_path: Path, is_served: bool
) -> None:
    page.said()
    with _served(tmp_path, ALL) as served_at:
        _, make = _opened(tmp_path, ALL)
        file = tmp_path / "index.html"
        file.write_text(make(False), encoding="utf-8")
        address = served_at if is_served else file.as_uri()
        for view in ("", *VIEWS):
            page.driver.get("about:blank")
            page.driver.get(f"{address}#{view}")
            page.settle()
            assert page.text("#headline")
            for link in [one.get_attribute("href") for one in page.all("#view a")][:12]:
                page.run("location.href = arguments[0]", link)
                page.settle()
            page.find("#q").send_keys("onerror")
            assert "onerror" in page.text("#panel")

        assert "1" != page.driver.title
        assert [] == page.all("img, iframe, object, embed, [onerror], [onload], [onmouseover]")
        assert [] == page.said()
        inside = ("file:", "http://127.0.0.1:", "data:", "about:blank")
        assert [] == [url for url in page.asked_for() if not url.startswith(inside)]


# --- a planted leak, against the clock ------------------------------------------------------------


@pytest.mark.jvm
def test_a_planted_leak_is_in_sight_without_a_click(
    page: Page, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    home = java_home()
    compile_java(home, [Path(__file__).parents[1] / "heap/java/PlantedLeak.java"], tmp_path)
    dump = planted(home, tmp_path, sessions=4000)
    heap, summary = summarise_dump(dump)
    (tmp_path / "index.html").write_text(
        page_of(picture_of(heap, summary, headline(summary))), encoding="utf-8"
    )
    start = time.monotonic()
    page.open(tmp_path)
    leak = next(row for row in _rows(page) if "ended" in row)
    record_property("seconds_until_the_leak_is_shown", round(time.monotonic() - start, 2))

    assert "java.util.HashMap" in leak
    assert page.run(
        "return [...document.querySelectorAll('.tree .row')]"
        ".find((r) => r.textContent.includes('ended'))"
        ".getBoundingClientRect().bottom < 2 * innerHeight"
    )
