"""The JavaScript client in a browser: Node.js has its own tests, in Tests/LanguageTests/JavaScript."""

from __future__ import annotations

from pathlib import Path

from browser import Browser
from world import PATIENCE, Development


def test_the_client_works_in_a_browser(browser: Browser, development: Development) -> None:
    browser.driver.get(f"{development.url}/")
    browser.sees("rpcctl dashboard")
    # Nobody is signed in there.
    browser.forget("/dashboard/session")
    browser.driver.set_script_timeout(PATIENCE)
    script = Path(__file__).with_name("javascript_client.js").read_text()
    passed = browser.driver.execute_async_script(script)
    assert isinstance(passed, list), passed
    assert len(passed) == 5
    # The conflict of the test.
    browser.forget("409")
