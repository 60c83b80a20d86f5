"""Makes a picture of each screen of the dashboard, light and dark: ``python screenshots.py FOLDER``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from browser import SCREENS, Browser
from selenium.webdriver.common.by import By
from world import World, record

WIDTH, HEIGHT = 1000, 640


def fill(world: World) -> None:
    """Saves what the pictures show, as the administrator."""
    cities = ["Bern", "Basel", "Kyiv", "Lviv", "Oslo", "Turin"]
    seller = {"recordId": {"recordName": "seller-1"}, "action": "REFERENCE_ACTION_NONE"}
    world.save("root", record("seller-1", "Sellers", name={"stringValue": "Ada"}))
    world.save(
        "root",
        *[
            record(
                f"house-{n:02}", "Houses", city={"stringValue": cities[n % 6]},
                price={"int64Value": str(250_000 + 17_500 * n)}, seller={"referenceValue": seller},
                location={"locationValue": {"latitude": round(46.9 + n / 10, 1), "longitude": 7.4}},
                tags={"stringListValue": {"values": ["garden", "balcony"][: n % 3]}},
            )
            for n in range(18)
        ],
    )  # fmt: skip
    database = {"scope": "DATABASE_SCOPE_PRIVATE"}
    world.call(
        "root",
        "ZoneService/ModifyRecordZones",
        {
            "databaseId": database,
            "zonesToSave": [{"zoneId": {"zoneName": name}} for name in ["drafts", "team"]],
        },
    )
    share = {
        "recordId": {"recordName": "cloudkit.zoneshare", "zoneId": {"zoneName": "team"}},
        "recordType": "cloudkit.share",
        "share": {
            "publicPermission": "PARTICIPANT_PERMISSION_READ_ONLY",
            "participants": [
                {"userRecordName": "ada", "permission": "PARTICIPANT_PERMISSION_READ_WRITE"}
            ],
        },
    }
    world.save("root", share)
    world.call(
        "root",
        "SubscriptionService/ModifySubscriptions",
        {
            "databaseId": database,
            "subscriptionsToSave": [
                {
                    "subscriptionId": name, "type": "SUBSCRIPTION_TYPE_QUERY", "recordType": "Houses",
                    "predicate": {"text": text}, "firesOnRecordUpdate": True, "firesOnRecordCreation": True,
                    "notificationInfo": {"alertBody": "A house you may like"},
                }
                for name, text in [("cheap-in-bern", 'city = "Bern" AND price < 300000'), ("all-houses", "TRUEPREDICATE")]
            ],
        },
    )  # fmt: skip
    world.ctl(
        "root",
        "--device",
        "website",
        "targets",
        "add",
        "--webhook",
        "https://houses.example.org/hook",
    )
    failing = "https://old.example.org/hook"
    world.ctl("root", "--device", "old-website", "targets", "add", "--webhook", failing)
    targets = world.call("root", "DeliveryService/FetchDeliveryTargets", {})["targets"]
    (target,) = (one["targetId"] for one in targets if one["address"]["webhook"]["url"] == failing)
    for price in ["240000", "245000", "239000"]:
        world.save("root", record("house-00", "Houses", price={"int64Value": price}))
    world.give_up(target, "503 Service Unavailable")
    world.call(
        "root",
        "AdminService/CreateWebToken",
        {"label": "website", "apiToken": {"allowedOrigins": ["https://houses.example.org"]}},
    )


def prepare(browser: Browser, world: World, screen: str, price: str) -> None:
    """Shows something on a screen."""
    browser.show(screen)
    if screen == "Records":
        browser.enter("Record type", "Houses")
        browser.choose("Sort by", "price")
        browser.press("Run")
        browser.sees("house-03", "main td")
    elif screen == "Live view":
        browser.sees("connected", "main [role=status]")
        world.save("root", record("house-00", "Houses", price={"int64Value": price}))
        browser.sees("cheap-in-bern", ".timeline")
        browser.sees(price, ".timeline dl.record")
    elif screen == "Metrics":
        for count in range(2, 6):
            world.save("root", record("house-00", "Houses", price={"int64Value": str(count)}))
            browser.until(
                lambda count=count: browser.driver.execute_script(
                    "return [...document.querySelectorAll('section[aria-label=Calls] polyline')]"
                    ".some((line) => line.getAttribute('points').split(' ').length >= arguments[0])",
                    count,
                ),
                "no chart",
            )
    browser.settled()
    # Nothing is still moving.
    browser.until(
        lambda: browser.driver.execute_script(
            "return document.getAnimations().every((one) => one.playState === 'finished')"
        ),
        "something moves",
    )


def main(folder: Path) -> None:
    """Writes the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        world = World(Path(temporary))
        browser = Browser(world, Path(temporary), WIDTH, HEIGHT)
        try:
            fill(world)
            browser.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False},
            )
            browser.sign_in("root")
            for theme, price in [("Light", "238000"), ("Dark", "237000")]:
                browser.choose("Theme", theme)
                for screen in SCREENS:
                    prepare(browser, world, screen, price)
                    name = screen.lower().replace(" ", "-")
                    browser.driver.save_screenshot(str(folder / f"{name}-{theme.lower()}.png"))
        finally:
            browser.quit()
            world.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
