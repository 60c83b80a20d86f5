"""What holds for all screens: names of controls, small windows, hostile texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser import SCREENS, Browser
from world import World, record

HOSTILE = """<script>document.title='run'</script><img src=x onerror="document.title='run'">"""


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (360, 740)])
def test_each_screen_fits_and_names_its_controls(
    world: World, open_browser: Callable[..., Browser], width: int, height: int
) -> None:
    world.save(
        "root",
        record(
            "a-record-with-a-rather-long-name-" + "x" * 100, "Wide", text={"stringValue": "y" * 500}
        ),
    )
    browser = open_browser(width, height)
    browser.sign_in("root")
    for screen in SCREENS:
        browser.show(screen)
        assert browser.unnamed() == [], screen
        assert browser.overflow() <= 0, screen
    browser.show("Records")
    browser.press("New record")
    browser.one("dialog[open]")
    assert browser.unnamed() == [] and browser.overflow() <= 0


def test_texts_of_others_stay_texts(world: World, browser: Browser, user: str) -> None:
    world.save(
        user,
        record(
            "hostile",
            "Hostile",
            text={"stringValue": HOSTILE},
            list={"stringListValue": {"values": [HOSTILE]}},
        ),
    )
    world.call(
        user,
        "SubscriptionService/ModifySubscriptions",
        {
            "databaseId": {"scope": "DATABASE_SCOPE_PRIVATE"},
            "subscriptionsToSave": [
                {
                    "subscriptionId": "<img_src=x_onerror=alert(1)>",
                    "type": "SUBSCRIPTION_TYPE_QUERY",
                    "recordType": "Hostile",
                    "firesOnRecordUpdate": True,
                    "notificationInfo": {"alertBody": HOSTILE},
                }
            ],
        },
    )
    browser.sign_in(user)
    browser.enter("Record type", "Hostile")
    browser.press("Run")
    browser.sees("<script>", "main td")
    browser.press("Edit hostile")
    browser.sees("text", "dialog")
    browser.press("Close")
    browser.show("Live view")
    browser.sees("connected", "main [role=status]")
    world.save(user, record("hostile", "Hostile", text={"stringValue": HOSTILE + "2"}))
    browser.sees("<script>", ".timeline")
    for screen in ["Subscriptions", "Notifications"]:
        browser.show(screen)
        browser.sees("<img", "main td")
    assert "run" not in browser.driver.title
    assert (
        browser.driver.execute_script(
            "return document.querySelectorAll('main img, main script').length"
        )
        == 0
    )


def test_script_in_every_field_of_every_screen(world: World, browser: Browser) -> None:
    browser.sign_in("root")
    for screen in SCREENS:
        browser.show(screen)
        browser.driver.execute_script(
            """
            for (const control of document.querySelectorAll('main input:not([type]), main input[type=text], main textarea')) {
              control.value = arguments[0];
              for (const name of ['input', 'change']) control.dispatchEvent(new Event(name, {bubbles: true}));
            }
            for (const form of document.querySelectorAll('main form')) form.requestSubmit();
            """,
            HOSTILE,
        )
        browser.settled()
        assert "run" not in browser.driver.title, screen
        assert (
            browser.driver.execute_script(
                "return document.querySelectorAll('main img, main script').length"
            )
            == 0
        )
        browser.driver.execute_script("localStorage.clear()")
        browser.driver.refresh()
        browser.sees("root", "#actor")
    # The server refuses such names, which Chromium reports.
    browser.forget("400", "404")


def test_the_theme_follows_the_system_and_the_switch(browser: Browser, user: str) -> None:
    browser.sign_in(user)

    def color() -> str:
        return str(
            browser.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        )

    def prefer(scheme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    prefer("light")
    light = color()
    prefer("dark")
    dark = color()
    assert light != dark
    browser.choose("Theme", "Light")
    assert color() == light
    browser.driver.refresh()
    browser.sees(user, "#actor")
    assert color() == light
    prefer("light")
    browser.choose("Theme", "Dark")
    assert color() == dark
