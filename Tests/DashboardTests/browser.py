"""Chromium, driven by selenium. Waits are for conditions, never for a time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait
from world import PATIENCE, Development, World

Result = TypeVar("Result")

SCREENS = ["Records", "Zones", "Shares", "Schema", "Subscriptions", "Notifications", "Live view", "Deliveries",
           "Users", "Web tokens", "Audit log", "Cluster", "Metrics"]  # fmt: skip
"""All screens, in the order of the navigation."""

# Names that are shown, whatever quotes they have.
_BY_TEXT = """
const [root, selector, text] = arguments;
return [...(root ?? document).querySelectorAll(selector)].filter((element) =>
  element.checkVisibility() && ((element.getAttribute('aria-label') ?? element.textContent).trim() === text));
"""
_UNNAMED = """
return [...document.querySelectorAll('button, input, select, textarea, a, [role=button]')]
  .filter((element) => element.checkVisibility())
  .filter((element) => {
    const label = element.getAttribute('aria-label')
      ?? [...(element.labels ?? [])].map((label) => label.textContent).join(' ').trim();
    return !(label || (['BUTTON', 'A'].includes(element.tagName) && element.textContent.trim()));
  }).map((element) => element.outerHTML.slice(0, 200));
"""


class Browser:
    """One browser, with a profile of its own."""

    def __init__(self, world: World | Development, downloads: Path, width: int = 1280, height: int = 900) -> None:
        self.world = world
        self.downloads = downloads
        options = Options()
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"]:
            options.add_argument(argument)
        options.add_argument(f"--window-size={width},{height}")
        options.add_experimental_option(
            "prefs",
            {"download.default_directory": str(downloads), "download.prompt_for_download": False},
        )
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # Tests make their own certificates.
        options.accept_insecure_certs = True
        # An explicit path: selenium downloads no driver.
        service = Service(os.environ.get("CHROMEDRIVER", "/bin/chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self._messages: list[str] = []
        # Narrower windows than this need the emulation of a device.
        if width < 500:
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True},
            )

    # Waiting.

    def until(self, condition: Callable[[], Result], what: str) -> Result:
        """Waits until a condition gives something true, and returns it."""

        def attempt(_: Any) -> Result | bool:
            try:
                return condition() or False
            except StaleElementReferenceException:
                return False

        try:
            return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(attempt)  # type: ignore[return-value]
        except WebDriverException as error:
            raise AssertionError(
                f"{what}; the page shows: {self.text()[:3000]}; {self.console()}"
            ) from error

    def text(self, selector: str = "body") -> str:
        """The text of an element."""
        return str(self.driver.find_element(By.CSS_SELECTOR, selector).text)

    def sees(self, text: str, selector: str = "body") -> None:
        """Waits for a text."""

        def condition() -> bool:
            return any(
                text in one.text for one in self.driver.find_elements(By.CSS_SELECTOR, selector)
            )

        self.until(condition, f"'{text}' is not shown in {selector}")

    def sees_no(self, text: str, selector: str = "body") -> None:
        """Waits until a text is gone."""

        def condition() -> bool:
            return not any(
                text in one.text for one in self.driver.find_elements(By.CSS_SELECTOR, selector)
            )

        self.until(condition, f"'{text}' is shown in {selector}")

    def one(self, selector: str) -> WebElement:
        """The last element of a selector, as soon as it is there: that of the top dialog."""
        found = self.until(
            lambda: [
                e for e in self.driver.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()
            ],
            f"there is no {selector}",
        )
        return found[-1]

    @property
    def root(self) -> WebElement | None:
        """The top dialog, or nothing."""
        dialogs = self.driver.find_elements(By.CSS_SELECTOR, "dialog[open]")
        return dialogs[-1] if dialogs else None

    def named(self, name: str, selector: str = "button, a, summary") -> WebElement:
        """The control with a name, in the top dialog."""
        found = self.until(
            lambda: self.driver.execute_script(_BY_TEXT, self.root, selector, name),
            f"there is no '{name}'",
        )
        return found[0]

    def labelled(self, label: str, tags: str = "input, select, textarea") -> WebElement:
        """The control that a label, or its own, names, in the top dialog."""
        script = """
        const [root, label, tags] = arguments;
        return [...(root ?? document).querySelectorAll(tags)].filter((element) =>
          element.checkVisibility() && (element.getAttribute('aria-label') === label
            || [...(element.labels ?? [])].some((one) => one.textContent.trim() === label)));
        """
        found = self.until(
            lambda: self.driver.execute_script(script, self.root, label, tags),
            f"nothing is labelled '{label}'",
        )
        return found[0]

    # Acting.

    def press(self, name: str) -> None:
        """Presses a button, or follows a link."""

        def attempt() -> bool:
            try:
                self.named(name).click()
            except (StaleElementReferenceException, ElementClickInterceptedException):
                # Replaced meanwhile, or behind a dialog that has just opened.
                return False
            return True

        self.until(attempt, f"'{name}' cannot be pressed")

    def enter(self, label: str, text: str) -> None:
        """Replaces the text of a control."""
        control = self.labelled(label)
        if control.get_attribute("type") not in ("datetime-local", "file"):
            control.send_keys(Keys.CONTROL, "a")
            control.send_keys(Keys.DELETE)
        control.send_keys(text)

    def put(self, label: str, text: str) -> None:
        """Sets the text of a control at once, as pasting does."""
        self.driver.execute_script(
            "arguments[0].value = arguments[1];"
            "for (const name of ['input', 'change']) arguments[0].dispatchEvent(new Event(name, {bubbles: true}));",
            self.labelled(label),
            text,
        )

    def choose(self, label: str, text: str) -> None:
        """Chooses an entry of a list."""
        Select(self.labelled(label, "select")).select_by_visible_text(text)

    def sign_in(self, user: str) -> None:
        """Opens a link of rpcctl."""
        self.driver.get(self.world.link(user))
        self.sees(user, "#actor")

    def show(self, screen: str) -> None:
        """Goes to a screen."""
        self.named(screen, "nav a").click()
        self.until(lambda: self.text("main h1") == screen, f"{screen} is not shown")
        self.settled()

    def settled(self) -> None:
        """Waits until nothing is loading."""
        self.until(
            lambda: not self.driver.find_elements(By.CSS_SELECTOR, "main [aria-busy]"),
            "it is loading",
        )

    # Judging.

    def console(self) -> list[str]:
        """All messages of the console."""
        self._messages += [entry["message"] for entry in self.driver.get_log("browser")]
        return self._messages

    def forget(self, *parts: str) -> None:
        """Ignores console messages that a test causes on purpose, such as refused requests."""
        self.console()
        self._messages = [one for one in self._messages if not any(part in one for part in parts)]

    def unnamed(self) -> list[str]:
        """Controls that are shown and have no accessible name."""
        return list(self.driver.execute_script(_UNNAMED))

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(
            self.driver.execute_script(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
        )

    def quit(self) -> None:
        """Ends the browser."""
        self.driver.quit()
