"""Headless Chromium, driven through its own driver; what it says and asks for is kept."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

__all__ = ["BROWSER", "DRIVER", "Page", "browser"]

BROWSER = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)
DRIVER = shutil.which("chromedriver")
_OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update",
            "--force-device-scale-factor=1", "--lang=en")  # fmt: skip
_LONGEST_WAIT_S = 120


@contextlib.contextmanager
def browser(*, width: int = 1440, height: int = 900, dark: bool = False) -> Iterator[Page]:
    """A window of that size."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER or ""
    for option in (*_OPTIONS, f"--window-size={width},{height}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        if dark:
            feature = {"name": "prefers-color-scheme", "value": "dark"}
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        yield Page(driver)
    finally:
        driver.quit()


class Page:
    """The pages of `mprof view` in a window."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, site: Path, fragment: str = "") -> None:
        """Load the page anew, and wait until it is drawn."""
        self.driver.get("about:blank")
        self.driver.get(f"{(site / 'index.html').as_uri()}#{fragment}")
        self.settle()

    def settle(self) -> None:
        """Wait until everything that was asked for is drawn."""
        WebDriverWait(self.driver, _LONGEST_WAIT_S, poll_frequency=0.02).until(
            lambda driver: driver.execute_script("return document.body.dataset.busy") == "false"
        )

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return str(self.find(selector).text)

    def click(self, selector: str) -> None:
        self.find(selector).click()
        self.settle()

    def choose(self, control: str, value: str) -> None:
        """Pick a value of a select."""
        self.click(f"#{control} option[value='{value}']")

    def write(self, control: str, text: str) -> None:
        """Type into a field, and wait for what it brings."""
        field = self.find(f"#{control}")
        field.clear()
        before = self.fragment
        field.send_keys(text)
        self.until(lambda: self.fragment != before)
        self.settle()

    def until(self, happened: Any) -> None:
        WebDriverWait(self.driver, _LONGEST_WAIT_S, poll_frequency=0.02).until(lambda _: happened())

    def point(self, x: float, y: float, *, click: bool = False) -> None:
        """Move to a place of the picture that is shown, from its upper left corner; click there."""
        canvas = self.find(".plate:not([hidden]) canvas")
        size = canvas.size
        actions = ActionChains(self.driver, duration=0).move_to_element_with_offset(
            canvas, round(x - size["width"] / 2), round(y - size["height"] / 2)
        )
        (actions.click() if click else actions).perform()
        if click:
            self.settle()

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(key).perform()
        self.settle()

    def tip(self) -> str:
        """What the tip says once it is there."""
        self.until(lambda: self.find("#tip").is_displayed())
        return self.text("#tip")

    def pixel(self, x: float, y: float) -> str:
        """The colour at a place of the picture that is shown."""
        red, green, blue, _ = self.run(
            "const c = document.querySelector('.plate:not([hidden]) canvas');"
            "return [...c.getContext('2d').getImageData(arguments[0], arguments[1], 1, 1).data]",
            int(x), int(y),
        )  # fmt: skip
        return f"#{red:02x}{green:02x}{blue:02x}"

    def colour(self, name: str) -> str:
        """A colour of the style sheet."""
        return str(
            self.run(
                "return getComputedStyle(document.documentElement).getPropertyValue(arguments[0])",
                f"--{name}",
            )
        ).strip()

    @property
    def fragment(self) -> str:
        return str(self.run("return location.hash"))

    def said(self) -> list[str]:
        """What the console has, of every level."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def asked_for(self) -> list[str]:
        """Every address that was asked for."""
        messages = (json.loads(entry["message"])["message"]
                    for entry in self.driver.get_log("performance"))  # fmt: skip
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def measures(self, name: str) -> list[float]:
        """Milliseconds of each measure of that name that the page has taken."""
        return [float(each) for each in self.run(
            "return performance.getEntriesByName(arguments[0])"
            ".map((one) => one.duration || one.startTime)",
            name,
        )]  # fmt: skip

    def shot(self, path: Path) -> None:
        self.driver.save_screenshot(str(path))
