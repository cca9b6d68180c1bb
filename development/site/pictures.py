"""Pictures of the reports of the gallery: what a reader sees first of each, by headless Chromium.

Drawing them needs Chromium, its driver and Selenium. Where one is missing, old pictures stay.
"""

from __future__ import annotations

import base64
import shutil
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

__all__ = ["HEIGHT", "WIDTH", "draw", "what_is_missing"]

WIDTH: Final = 1000
HEIGHT: Final = 1200
"""Pixels of each picture: the answer of a report, and the first of its evidence."""

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_DRIVER: Final = "chromedriver"
_OPTIONS: Final = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
    "--force-device-scale-factor=1", "--lang=en",
)  # fmt: skip
_QUALITY: Final = 70
"""Of WebP. Text is as sharp to the eye as in a PNG of five times the size."""


def what_is_missing() -> str | None:
    """What of the three is not there; None if pictures can be drawn."""
    if not any(map(shutil.which, _BROWSERS)):
        return "Chromium"
    if shutil.which(_DRIVER) is None:
        return _DRIVER
    return None if find_spec("selenium") else "Selenium"


def draw(reports: Mapping[str, str], folder: Path) -> None:
    """Write a WebP picture of the top of each page.

    Args:
        reports: HTML pages by the name of their picture, without its suffix.
        folder: where the pictures go; made if missing.
    """
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    folder.mkdir(parents=True, exist_ok=True)
    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, _BROWSERS))) or ""
    for option in _OPTIONS:
        options.add_argument(option)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which(_DRIVER)))
    # The size of the page: that of a window has its frame in it.
    size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1}
    try:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        with tempfile.TemporaryDirectory(prefix="mprof-") as scratch:
            page = Path(scratch, "report.html")
            for name, text in reports.items():
                page.write_text(text, encoding="utf-8")
                driver.get(page.as_uri())
                taken = driver.execute_cdp_cmd(
                    "Page.captureScreenshot",
                    {"format": "webp", "quality": _QUALITY, "clip": clip},
                )
                (folder / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))
    finally:
        driver.quit()
