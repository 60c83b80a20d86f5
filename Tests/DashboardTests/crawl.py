"""Walks through a screen: presses each button, fills each field of each dialog, and remembers what it has seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from browser import Browser
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from world import ROOT

MODULES = ROOT / "Sources" / "TidingsGateway" / "Web" / "dashboard"

_CLOSING = {"×", "Cancel", "Done", "Close the plan"}
_LAST = ("Delete", "Remove", "Revoke", "End", "Leave", "Deploy")
_DEPTH_MAX = 3

# Where dialogs are opened from.
_WATCH_DIALOGS = """
window.openedBy = [];
Error.stackTraceLimit = 50;
const showModal = HTMLDialogElement.prototype.showModal;
HTMLDialogElement.prototype.showModal = function () {
  window.openedBy.push(new Error().stack);
  return showModal.call(this);
};
"""
_BUTTONS = """
const root = arguments[0] ?? document.querySelector('main');
return [...root.querySelectorAll('button, summary')]
  .filter((one) => one.checkVisibility() && !one.disabled)
  .map((one) => [one, one.textContent.trim(), Boolean(one.closest('footer')), one.type === 'submit']);
"""
_FILL = """
const [root, text, isRequiredOnly] = arguments;
const filled = [];
for (const control of (root ?? document.querySelector('main')).querySelectorAll('input, textarea')) {
  if (!control.checkVisibility() || control.readOnly) continue;
  if (control.tagName === 'INPUT' && !['text', 'search', 'url'].includes(control.type)) continue;
  control.value = isRequiredOnly && !control.required ? '' : text;
  for (const name of ['input', 'change']) control.dispatchEvent(new Event(name, {bubbles: true}));
  filled.push(control.getAttribute('aria-label') ?? [...control.labels].map((label) => label.textContent.trim()).join());
}
return filled;
"""


def dialog_calls() -> set[str]:
    """``FILE:LINE`` of what opens a dialog, in the sources."""
    found = set()
    for path in MODULES.glob("*.js"):
        source = path.read_text()
        if path.name == "dialog.js" or "/dashboard/dialog.js'" not in source:
            continue
        for number, line in enumerate(source.splitlines(), 1):
            if re.search(r"(?<![\w.#])(form|open|confirm)\(", line):
                found.add(f"{path.name}:{number}")
    return found


@dataclass
class Crawl:
    """A walk through screens, with a text that goes into each field."""

    browser: Browser
    user: str
    text: str
    check: Callable[[str], None]
    """Called after each step, with its name."""
    seen: set[str] = field(default_factory=set)
    """``SCREEN / DIALOG: LABEL`` of each field that was filled."""
    opened: set[str] = field(default_factory=set)
    """``FILE:LINE`` of each call that opened a dialog."""

    def begin(self) -> None:
        """Watches dialogs of pages that are loaded from now on."""
        self.browser.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": _WATCH_DIALOGS}
        )

    def screen(self, name: str, prepare: Callable[[], None]) -> None:
        """Presses each kind of button of a screen once, those that delete something last."""
        pressed: set[str] = set()
        while True:
            self.reset(name, prepare)
            buttons = [one for one in self.buttons() if one[1] not in pressed]
            buttons.sort(key=lambda one: one[1].startswith(_LAST))
            if not buttons:
                return
            for _, text, _, _ in buttons:
                if text in pressed:
                    continue
                if not self.press(text, f"{name} / {text}", pressed):
                    break
                prepare()

    def reset(self, name: str, prepare: Callable[[], None]) -> None:
        """Shows a screen as a first visit does."""
        self.note()
        self.browser.driver.execute_script("localStorage.clear()")
        self.browser.driver.refresh()
        self.browser.until(
            lambda: self.browser.driver.find_elements(By.CSS_SELECTOR, "#actor, main.sign-in"),
            "the page is not there",
        )
        # The session is among what can be revoked.
        if not self.browser.driver.find_elements(By.ID, "actor"):
            self.browser.sign_in(self.user)
        self.browser.show(name)
        prepare()
        self.browser.settled()

    def press(self, text: str, step: str, pressed: set[str]) -> bool:
        """Presses a button of the screen; false: the screen has changed, and is to be shown again."""
        found = [one for one in self.buttons() if one[1] == text]
        pressed.add(text)
        if not found:
            return True
        before = {one[1] for one in self.buttons()}
        self.click(found[0][0])
        self.settled()
        self.check(step)
        if self.browser.root is not None:
            self.dialog(step, 1)
            return False
        # Fields that this has added.
        if {one[1] for one in self.buttons()} - before:
            self.fill(step)
            self.check(step)
            return False
        return True

    def dialog(self, step: str, depth: int) -> None:
        """Fills the top dialog, presses what it has, sends it, and closes it."""
        self.note()
        count = self.count
        pressed: set[str] = set()
        while depth < _DEPTH_MAX and self.count == count:
            self.fill(step)
            # Buttons of tables are once for each kind.
            buttons = [
                one for one in self.buttons() if one[1] not in pressed | _CLOSING and not one[2]
            ]
            buttons.sort(key=lambda one: one[1].startswith(_LAST))
            if not buttons:
                break
            pressed.add(buttons[0][1])
            self.click(buttons[0][0])
            self.settled()
            self.check(f"{step} / {buttons[0][1]}")
            while self.count > count:
                self.dialog(f"{step} / {buttons[0][1]}", depth + 1)
        for is_required_only in [False, True]:
            if self.count != count:
                break
            self.fill(step, is_required_only)
            self.send(step, count, depth)
        self.close(count)

    def close(self, count: int) -> None:
        """Closes the dialogs above others."""
        while self.count >= count:
            top = self.count
            self.browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
            self.browser.until(lambda top=top: self.count < top, "a dialog stays open")  # type: ignore[misc]

    def send(self, step: str, count: int, depth: int) -> None:
        """Presses the button of a dialog that does what it is for."""
        last = [one for one in self.buttons() if one[2] and one[1] not in _CLOSING]
        if not last:
            return
        self.click(last[-1][0])
        self.settled()
        self.check(f"{step} / {last[-1][1]}")
        self.note()
        while self.count > count and depth < _DEPTH_MAX:
            self.dialog(f"{step} / {last[-1][1]}", depth + 1)

    # What is there.

    @property
    def count(self) -> int:
        """Dialogs that are open."""
        return len(self.browser.driver.find_elements(By.CSS_SELECTOR, "dialog[open]"))

    def buttons(self) -> list[tuple]:  # type: ignore[type-arg]
        """The buttons of the top dialog, or of the screen: element, text, is in the footer, submits."""
        return [
            tuple(one) for one in self.browser.driver.execute_script(_BUTTONS, self.browser.root)
        ]

    def click(self, button) -> None:  # type: ignore[no-untyped-def]
        """Presses a button, unless it is gone."""
        try:
            button.click()
        except (
            StaleElementReferenceException,
            ElementClickInterceptedException,
            ElementNotInteractableException,
        ):
            # Covered by a dialog that has opened meanwhile, or replaced.
            pass

    def fill(self, step: str, is_required_only: bool = False) -> None:
        """Puts the text into each field of the top dialog, or of the screen."""
        text = "plain" if is_required_only else self.text
        labels = self.browser.driver.execute_script(
            _FILL, self.browser.root, text, is_required_only
        )
        self.seen.update(f"{step}: {label}" for label in labels)

    def settled(self) -> None:
        """Waits until nothing is loading or being done."""
        self.browser.until(
            lambda: (
                not self.browser.driver.find_elements(
                    By.CSS_SELECTOR, "[aria-busy], [aria-disabled=true], dialog button[type=submit]:disabled"
                )
                or self.waits
            ),
            "it is loading",
        )  # fmt: skip

    @property
    def waits(self) -> bool:
        """Whether a button waits for a dialog that it has opened."""
        top = self.browser.root
        busy = "[aria-busy], [aria-disabled=true], button[type=submit]:disabled"
        return top is not None and not top.find_elements(By.CSS_SELECTOR, busy)

    def note(self) -> None:
        """Remembers who opened dialogs."""
        stacks = self.browser.driver.execute_script("return window.openedBy ?? []")
        for stack in stacks:
            self.opened.update(
                f"{file}:{line}" for file, line in re.findall(r"/dashboard/(\w+\.js):(\d+)", stack)
            )
