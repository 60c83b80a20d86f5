"""Script in every field of every dialog: what exists is found by walking through the pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import SCREENS, Browser
from crawl import Crawl, dialog_calls
from test_page import HOSTILE
from world import World, record

_TYPES = {
    "text": {"stringValue": HOSTILE},
    "count": {"int64Value": "1"},
    "ratio": {"doubleValue": 0.5},
    "day": {"timestampValue": "2026-01-02T03:04:05Z"},
    "raw": {"bytesValue": "AAEC"},
    "place": {"locationValue": {"latitude": 48.1, "longitude": 11.5}},
    "target": {"referenceValue": {"recordId": {"recordName": "every"}, "action": "REFERENCE_ACTION_NONE"}},
    "names": {"stringListValue": {"values": [HOSTILE]}},
    "marks": {"int64ListValue": {"values": ["1"]}},
    "ratios": {"doubleListValue": {"values": [0.5]}},
    "days": {"timestampListValue": {"values": ["2026-01-02T03:04:05Z"]}},
    "raws": {"bytesListValue": {"values": ["AAEC"]}},
    "places": {"locationListValue": {"values": [{"latitude": 1.0, "longitude": 2.0}]}},
    "targets": {
        "referenceListValue": {
            "values": [{"recordId": {"recordName": "every"}, "action": "REFERENCE_ACTION_NONE"}]
        }
    },
}  # fmt: skip
"""A value of each type that has an editor with texts."""


@pytest.fixture
def own_world(tmp_path: Path) -> Iterator[World]:
    """A server for a test that deletes whatever it finds."""
    world = World(tmp_path)
    yield world
    world.end()


def prepare(world: World) -> None:
    """Something on each screen."""
    database = {"scope": "DATABASE_SCOPE_PRIVATE"}
    world.save("root", record("every", "Every", **_TYPES), record("plain", "Every"))
    world.call(
        "root",
        "ZoneService/ModifyRecordZones",
        {"databaseId": database, "zonesToSave": [{"zoneId": {"zoneName": name}} for name in ["z1", "z2"]]},
    )  # fmt: skip
    world.save(
        "root",
        {
            "recordId": {"recordName": "cloudkit.zoneshare", "zoneId": {"zoneName": "z2"}},
            "recordType": "cloudkit.share",
            "share": {"publicPermission": "PARTICIPANT_PERMISSION_READ_ONLY"},
        },
    )
    subscription = {
        "subscriptionId": "<img_src=x>", "type": "SUBSCRIPTION_TYPE_QUERY", "recordType": "Every",
        "firesOnRecordUpdate": True, "notificationInfo": {"alertBody": HOSTILE, "desiredKeys": ["text"]},
    }  # fmt: skip
    world.call(
        "root",
        "SubscriptionService/ModifySubscriptions",
        {"databaseId": database, "subscriptionsToSave": [subscription]},
    )
    world.ctl("root", "targets", "add", "--webhook", "https://example.org/<b>", "--device", "d<b>")
    target = world.call("root", "DeliveryService/FetchDeliveryTargets", {})["targets"][0]
    world.save("root", record("every", "Every", count={"int64Value": "2"}))
    world.give_up(target["targetId"], HOSTILE)


def test_script_in_every_field_of_every_dialog(own_world: World, tmp_path: Path) -> None:
    prepare(own_world)
    browser = Browser(own_world, tmp_path)
    try:
        crawl(own_world, browser)
    finally:
        browser.quit()
    assert own_world.reports() == []


def crawl(world: World, browser: Browser) -> None:
    """Walks through all screens."""

    def check(step: str) -> None:
        found = browser.driver.execute_script(
            "return [document.title, document.querySelectorAll('body img, body script').length]"
        )
        assert found[0] != "run" and found[1] == 0, step

    walk = Crawl(browser, "root", HOSTILE, check)
    walk.begin()
    browser.sign_in("root")

    def records() -> None:
        browser.enter("Record type", "Every")
        browser.press("Run")
        browser.settled()

    def schema() -> None:
        def text() -> str:
            return browser.labelled("Schema text").get_attribute("value") or ""

        browser.until(lambda: "Every" in text(), "no schema")
        browser.put("Schema text", text().replace("INT64", "INT64 QUERYABLE", 1))

    prepared: dict[str, Callable[[], None]] = {"Records": records, "Schema": schema}
    # A conflict needs somebody else.
    walk.reset("Records", records)
    browser.press("Edit every")
    browser.put("text", HOSTILE + "mine")
    world.save("root", record("every", "Every", text={"stringValue": HOSTILE + "theirs"}))
    browser.press("Save")
    browser.sees("Choose what to keep", "dialog")
    walk.dialog("Conflict", 1)
    walk.close(1)
    # As does a link.
    browser.driver.get(world.link("ada"))
    browser.sees("Sign in as ada?", "dialog")
    walk.close(1)
    for screen in SCREENS:
        walk.screen(screen, prepared.get(screen, lambda: None))
    walk.note()
    missed = dialog_calls() - walk.opened
    assert not missed, (
        f"no step opened these dialogs: {sorted(missed)}; {json.dumps(sorted(walk.seen), indent=1)}"
    )
    # Times have pickers in place of texts.
    typed = [name for name in _TYPES if name not in ("day", "days")]
    for label in [*typed, "Predicate", "Public key", "Origins", "User to invite"]:
        assert [one for one in walk.seen if label in one.rsplit(": ", 1)[1]], label
    # The server refuses most of it, which Chromium reports; nothing else may be in the console.
    messages = [
        one for one in browser.console() if "the server responded with a status of 4" not in one
    ]
    assert messages == []
