"""The pages of a game and of a report in a real browser: Chromium, driven by Selenium.

It is skipped where there is no Chromium with its driver (Debian: chromium and chromium-driver).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dicegames.cli.entry import main

webdriver = pytest.importorskip("selenium.webdriver")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None, reason="no chromium and chromedriver here"
)

PHONE, DESKTOP = (360, 740), (1280, 900)
COLOURS = """
const all = [...document.querySelectorAll('h1, h2, p, li, td, th, .good, .bad')];
const seen = all.filter(e => e.textContent.trim() && e.getClientRects().length);
const canvas = document.createElement('i');
canvas.style.backgroundColor = 'Canvas';
document.body.append(canvas);
const behind = e => {
  while (e && getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)') e = e.parentElement;
  return getComputedStyle(e ?? canvas).backgroundColor;
};
return seen.map(e => [e.tagName, getComputedStyle(e).color, behind(e)]);
"""
NAMELESS = """
return [...document.querySelectorAll('svg[role=img]')].filter(e => !e.getAttribute('aria-label'))
"""
WIDTHS = "const d = document.documentElement; return [d.scrollWidth, d.clientWidth]"
READABLE = 4.5
"""The contrast that WCAG 2.1 asks for (1.4.3)."""


@pytest.fixture(scope="module", params=["game", "report"])
def page(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Write the page of a game of Shut the Box, or of a report on it."""
    folder = tmp_path_factory.mktemp("page")
    if request.param == "report":
        words = ["report", "shut_the_box", "--games", "10", "--set", "tiles=5"]
        assert main([*words, "--html", str(folder / "report.html")]) == 0
        return folder / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        patch.setenv("XDG_STATE_HOME", str(folder))
        seats = ["--seat", "bot:beginner", "--seed", "3"]
        assert main(["play", "shut_the_box", *seats]) == 0
        assert main(["analyse", "last", "--html", str(folder / "game.html")]) == 0
    return folder / "game.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Chromium."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, `rgb(1, 2, 3)`, as WCAG 2.1 defines it."""
    parts = colour[colour.index("(") + 1 : -1].split(",")[:3]
    shares = [float(part) / 255 for part in parts]
    red, green, blue = (s / 12.92 if s <= 0.03928 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_page(browser: Any, page: Path, size: tuple[int, int], scheme: str, tmp_path: Path) -> None:
    """It fits, can be read in either scheme, loads nothing, and its pictures have names."""
    shown = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", shown)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(page.as_uri())
    browser.save_screenshot(str(tmp_path / "page.png"))
    content, visible = browser.execute_script(WIDTHS)
    assert content <= visible <= size[0]
    colours = browser.execute_script(COLOURS)
    assert len(colours) > 50
    for tag, ink, paper in colours:
        dark, bright = sorted((luminance(ink), luminance(paper)))
        assert (bright + 0.05) / (dark + 0.05) >= READABLE, (tag, ink, paper)
    paper = luminance(colours[0][2])
    assert paper > 0.7 if scheme == "light" else paper < 0.1
    assert browser.execute_script(NAMELESS) == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert browser.get_log("browser") == []
