"""A large database: what each screen asks for, and how long it takes.

``TIDINGS_DASHBOARD_RECORDS`` and ``TIDINGS_DASHBOARD_ZONES`` set the size; with ``-s`` the table is printed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from browser import SCREENS, Browser
from selenium.webdriver.common.by import By
from world import World

RECORDS = int(os.environ.get("TIDINGS_DASHBOARD_RECORDS", "2000"))
ZONES = int(os.environ.get("TIDINGS_DASHBOARD_ZONES", "500"))

ROWS_MAX = 250
"""Rows that a step may add to a page."""
BYTES_MAX = 512 << 10
"""Bytes that the answers of a step may have."""

_WATCH_CALLS = """
window.calls = [];
const send = window.fetch;
window.fetch = async (url, init) => {
  const answer = await send(url, init);
  if (String(url).startsWith('/dashboard/rpc/')) {
    const call = {method: url.slice('/dashboard/rpc/'.length), request: init.body, bytes: 0};
    window.calls.push(call);
    const text = await answer.clone().text();
    call.bytes = text.length;
  }
  return answer;
};
"""
# Presses something, and waits until it is shown; in the page, because each look from outside takes milliseconds.
_MEASURE = """
const [element, done] = arguments;
window.calls = [];
const top = () => [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.querySelector('main');
// Behind a dialog, the button that opened it waits.
const isBusy = () => top().querySelector('[aria-busy], [aria-disabled=true]');
const start = performance.now();
element.click();
let quiet = 0;
const look = () => {
  quiet = isBusy() ? 0 : quiet + 1;
  // Two frames in which nothing happens: between two calls there is none.
  if (quiet < 3) return requestAnimationFrame(look);
  done({milliseconds: performance.now() - start, calls: window.calls, rows: document.querySelectorAll('tbody tr').length});
};
requestAnimationFrame(look);
"""


@dataclass
class Measurement:
    """What a step took."""

    step: str
    milliseconds: float
    calls: list[dict[str, object]]
    rows: int

    @property
    def bytes(self) -> int:
        """Bytes of all answers."""
        return sum(int(str(call["bytes"])) for call in self.calls)


@dataclass
class Walk:
    """Steps of a user, each measured."""

    browser: Browser
    found: list[Measurement] = field(default_factory=list)

    def press(self, step: str, name: str, selector: str = "button, a, summary") -> Measurement:
        """Presses something, and waits until what it shows is there."""
        element = self.browser.named(name, selector)
        answer = self.browser.driver.execute_async_script(_MEASURE, element)
        one = Measurement(step, answer["milliseconds"], answer["calls"], answer["rows"])
        self.found.append(one)
        print(f"{step}: {one.milliseconds:.0f} ms", flush=True)
        return one

    def table(self) -> str:
        """The measurements for the documentation."""
        lines = ["| step | ms | calls | KB |", "|---|---|---|---|"]
        for one in self.found:
            calls = ", ".join(str(call["method"]).split("/")[1] for call in one.calls)
            lines.append(
                f"| {one.step} | {one.milliseconds:.0f} | {calls} | {one.bytes / 1024:.1f} |"
            )
        return "\n".join(lines)


def fill(world: World) -> None:
    """Saves the records, and creates the zones."""
    schema = "DEFINE SCHEMA RECORD TYPE Houses (city STRING QUERYABLE, price INT64 QUERYABLE SORTABLE, note STRING);"
    world.call("root", "SchemaService/ApplySchema", {"text": schema})
    path = world.folder / "houses.jsonl"
    cities = ["Bern", "Basel", "Kyiv", "Lviv", "Oslo", "Turin", "Quito", "Hanoi"]
    with path.open("w") as file:
        for n in range(RECORDS):
            fields = {
                "city": cities[n * 7919 % 8],
                "price": n * 7919 % 1_000_003,
                "note": f"house number {n}",
            }
            file.write(
                json.dumps({"recordType": "Houses", "recordName": f"h{n:07}", "fields": fields})
                + "\n"
            )
    world.ctl("root", "import", "--save-policy", "all-keys", str(path), patience=3_600)
    path.unlink()
    for start in range(0, ZONES, 200):
        zones = [
            {"zoneId": {"zoneName": f"zone-{n:05}"}} for n in range(start, min(start + 200, ZONES))
        ]
        request = {"databaseId": {"scope": "DATABASE_SCOPE_PRIVATE"}, "zonesToSave": zones}
        world.call("root", "ZoneService/ModifyRecordZones", request)
    subscription = {
        "subscriptionId": "cheap", "type": "SUBSCRIPTION_TYPE_QUERY", "recordType": "Houses",
        "predicate": {"text": "price < 5"}, "firesOnRecordUpdate": True, "firesOnRecordCreation": True,
    }  # fmt: skip
    database = {"scope": "DATABASE_SCOPE_PRIVATE"}
    world.call(
        "root",
        "SubscriptionService/ModifySubscriptions",
        {"databaseId": database, "subscriptionsToSave": [subscription]},
    )


@pytest.fixture
def large(tmp_path: Path) -> Iterator[World]:
    """A server with many records and zones."""
    world = World(tmp_path)
    fill(world)
    yield world
    world.end()


def test_no_screen_loads_or_counts_all(large: World, tmp_path: Path) -> None:
    browser = Browser(large, tmp_path)
    try:
        browser.driver.set_script_timeout(280)
        browser.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": _WATCH_CALLS}
        )
        browser.sign_in("root")
        walk = Walk(browser)
        steps(browser, walk)
        assert browser.console() == []
    finally:
        browser.quit()
    print(f"\n{RECORDS} records, {ZONES} zones\n\n{walk.table()}")
    for one in walk.found:
        methods = [str(call["method"]) for call in one.calls]
        assert one.bytes <= BYTES_MAX, one
        assert len(methods) <= 6, one
        assert "AdminService/FetchStatistics" not in methods, one
        for call in one.calls:
            if call["method"] == "ZoneService/FetchRecordZones":
                # Without names it would be all zones.
                assert 1 <= len(json.loads(str(call["request"]))["zoneIds"]) <= 100, one


def steps(browser: Browser, walk: Walk) -> None:
    """Looks at everything that has pages."""

    def rows() -> int:
        return len(browser.driver.find_elements(By.CSS_SELECTOR, "main tbody tr"))

    def measured(step: str, prepare: Callable[[], None], name: str = "Run") -> None:
        prepare()
        walk.press(step, name)

    browser.settled()
    for screen in SCREENS:
        assert walk.press(screen, screen, "nav a").rows <= ROWS_MAX, screen
    browser.show("Records")
    measured("records of a type", lambda: browser.enter("Record type", "Houses"))
    assert rows() == 50
    walk.press("the next page", "More")
    assert rows() == 100
    measured("sorted by an indexed field", lambda: browser.choose("Sort by", "price"))
    assert rows() == 50
    walk.press("its next page", "More")
    walk.press("explain", "Explain")
    browser.press("Close the plan")
    browser.choose("Sort by", "nothing")
    browser.press("Filter")
    measured("an indexed field", lambda: browser.put("Predicate", "price = 7919"))
    assert rows() == 1
    measured("one of eight of all", lambda: browser.put("Predicate", 'city = "Oslo"'))
    assert rows() == 50
    measured("a name", lambda: browser.put("Predicate", 'recordName = "h0000123"'))
    assert rows() == 1
    browser.put("Predicate", "")
    measured("all again", lambda: None)
    walk.press("a record", "Edit h0000000")
    browser.press("Close")
    walk.press("the preview of a deletion", "Delete h0000000")
    browser.press("Cancel")
    # A query of all zones merges what each of them has; one of a zone does not.
    browser.put("Zone", "_defaultZone")
    measured("records of a type in a zone", lambda: None)
    walk.press("the next page in the zone", "More")
    assert rows() == 100
    measured("sorted by an indexed field in the zone", lambda: browser.choose("Sort by", "price"))
    walk.press("its next page in the zone", "More")
    walk.press("explain it in the zone", "Explain")
    print(browser.text("tidings-query .card"))
    browser.press("Close the plan")
    browser.put("Zone", "")
    browser.show("Zones")
    assert rows() <= 101
    walk.press("the next page of zones", "More")
    assert rows() <= 201
    browser.enter("Name", f"zone-{ZONES - 1:05}")
    walk.press("a zone by name", "Find")
    assert rows() == 1
    browser.enter("Name", "_defaultZone")
    browser.press("Find")
    browser.until(lambda: "_defaultZone" in browser.text("main tbody"), "no default zone")
    browser.show("Subscriptions")
    browser.press("Why does it fire?")
    walk.press("a record to explain with", "Pick a stored record…")
    browser.choose("Record type", "Houses")
    browser.settled()
    walk.press("the picked record", "Pick h0000000")
    browser.enter("price", "3")
    walk.press("why does it fire", "Explain this change")
    browser.sees("cheap: fires", ".explanations")
    browser.press("Close")
