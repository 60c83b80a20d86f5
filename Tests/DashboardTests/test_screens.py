"""The other screens, each with what it changes and shows."""

from __future__ import annotations

import json

from browser import Browser
from selenium.webdriver.common.by import By
from world import World, program, record


def test_subscriptions_fire_are_explained_traced_and_shown_live(
    world: World, browser: Browser, user: str
) -> None:
    world.save(
        user, record("w1", "Watched", city={"stringValue": "Bern"}, rooms={"int64Value": "1"})
    )
    browser.sign_in(user)
    browser.show("Subscriptions")
    browser.sees("No subscriptions in this database.")
    browser.press("New subscription")
    browser.enter("ID", "bern")
    browser.enter("Record type", "Watched")
    browser.enter("Predicate", 'city = "Bern" AND rooms > 5')
    browser.enter("Text of the alert", "A home in Bern")
    assert browser.unnamed() == []
    browser.press("Save")
    browser.sees("bern", "main td")
    # Why not, and why.
    browser.press("Explain bern")
    browser.press("Pick a stored record…")
    browser.choose("Record type", "Watched")
    browser.press("Pick w1")
    browser.enter("rooms", "2")
    browser.press("Explain this change")
    browser.sees("bern: does not fire", ".explanations")
    browser.sees("rooms > 5", ".explanations")
    browser.enter("rooms", "6")
    browser.press("Explain this change")
    browser.sees("bern: fires", ".explanations")
    browser.press("Close")
    # From another process.
    browser.show("Live view")
    browser.sees("connected", "main [role=status]")
    world.save(
        user, record("w1", "Watched", city={"stringValue": "Bern"}, rooms={"int64Value": "7"})
    )
    browser.sees("bern: w1 updated", ".timeline")
    browser.sees("A home in Bern", ".timeline")
    browser.sees("7", ".timeline dl.record")
    browser.show("Notifications")
    browser.sees("record updated Watched w1", "main td")
    trace = browser.driver.find_element(By.CSS_SELECTOR, "main td.actions button")
    trace.click()
    browser.sees("The change was committed and the notification stored", "dialog")
    browser.sees("It was fetched", "dialog")
    browser.press("Close")
    browser.driver.find_element(By.CSS_SELECTOR, "main tbody input[type=checkbox]").click()
    browser.press("Mark selected read")
    browser.sees("1 marked read.")
    browser.enter("Badge", "3")
    browser.press("Set the badge")
    browser.sees("Badge: 3")
    browser.show("Subscriptions")
    browser.press("Delete bern")
    browser.press("Delete")
    browser.sees("No subscriptions in this database.")


def test_the_schema_is_compared_applied_and_deployed(
    world: World, browser: Browser, user: str
) -> None:
    container = "schemas"
    world.call(
        user,
        "RecordService/ModifyRecords",
        {
            "databaseId": {"container": container, "scope": "DATABASE_SCOPE_PRIVATE"},
            "recordsToSave": [record("s", "Sketches", title={"stringValue": "x"})],
        },
    )
    browser.sign_in(user)
    browser.enter("Container", container)
    browser.press("Schema")
    browser.until(
        lambda: "Sketches" in (browser.labelled("Schema text").get_attribute("value") or ""),
        "no schema",
    )
    text = browser.labelled("Schema text").get_attribute("value") or ""
    browser.put("Schema text", text.replace("STRING", "STRING QUERYABLE", 1))
    browser.press("Show changes")
    browser.sees("changed: Sketches.title", ".card")
    browser.press("Apply")
    browser.one("dialog[open]")
    browser.press("Apply")
    browser.sees("The schema is applied.")
    browser.sees("Sketches", "main td")
    browser.sees("values", "main td")
    browser.press("Deploy to production")
    browser.sees("added: Sketches", "dialog")
    browser.press("Deploy")
    browser.sees("The schema is deployed.")
    browser.press("Compare with production")
    browser.sees("Nothing would change.")
    browser.choose("Environment", "production")
    browser.until(
        lambda: "Sketches" in (browser.labelled("Schema text").get_attribute("value") or ""),
        "no schema",
    )


def test_zones_are_created_looked_at_and_deleted(world: World, browser: Browser, user: str) -> None:
    browser.sign_in(user)
    browser.show("Zones")
    browser.enter("Name of a new zone", "garden")
    browser.press("Create")
    browser.sees("The zone garden exists.")
    zone = {"zoneName": "garden"}
    world.save(user, {"recordId": {"recordName": "rose", "zoneId": zone}, "recordType": "Plants"})
    browser.press("Changes in garden")
    browser.sees("rose", "dialog td")
    browser.press("Close")
    browser.press("Records of garden")
    browser.sees("Records", "main h1")
    assert browser.labelled("Zone").get_attribute("value") == "garden"
    browser.put("Zone", "")
    browser.show("Zones")
    browser.enter("Name", "garden")
    browser.press("Find")
    browser.until(
        lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, "main tbody tr")) == 1,
        "not filtered",
    )
    browser.press("Delete garden")
    browser.press("Delete")
    browser.sees("The zone garden is deleted.")
    browser.sees("No zones.")


def test_zones_are_shared(world: World, browser: Browser, user: str) -> None:
    database = {"scope": "DATABASE_SCOPE_PRIVATE"}
    world.call(
        user,
        "ZoneService/ModifyRecordZones",
        {"databaseId": database, "zonesToSave": [{"zoneId": {"zoneName": "team"}}]},
    )
    browser.sign_in(user)
    browser.show("Shares")
    browser.enter("Share of the zone", "team")
    browser.choose("Anyone with the URL", "read only")
    browser.press("Share")
    browser.sees("The share exists.")
    browser.sees("the zone", "main td")
    browser.press("Participants")
    browser.sees("URL:", "dialog")
    browser.enter("User to invite", "grace")
    browser.press("Save")
    browser.until(lambda: browser.root is None, "the dialog is open")
    browser.settled()
    shares = world.call("grace", "ShareService/FetchShares", {})["shares"]
    assert [one["zoneId"]["zoneName"] for one in shares] == ["team"]
    browser.press("End")
    browser.one("dialog[open]")
    browser.press("End")
    browser.sees("No shares.")


def test_users_keys_tokens_and_the_audit_log(world: World, browser: Browser) -> None:
    browser.sign_in("root")
    browser.sees("admin", "#actor")
    browser.show("Users")
    browser.sees("ada", "main td")
    browser.press("New user")
    browser.enter("Name", "newton")
    browser.enter("Roles", "editor")
    browser.press("Create")
    browser.sees("newton", "main td")
    browser.press("Edit newton")
    browser.enter("Display name", "Isaac <i>Newton</i>")
    browser.enter("Roles", "editor, developer")
    browser.named("A quota of its own", "label").click()
    browser.enter("Records (0: no limit)", "10")
    assert browser.unnamed() == []
    browser.press("Save")
    browser.sees("The user newton is saved.")
    browser.sees("Isaac <i>Newton</i>", "main td")
    browser.sees("Records: 10", "main td")
    account = world.call("root", "AdminService/ListUsers", {"userNames": ["newton"]})["accounts"][0]
    assert account["roles"] == ["developer", "editor"]
    browser.press("Keys of newton")
    key = new_public_key(world, "newton")
    browser.enter("A further public key", key)
    browser.press("Admit")
    browser.press(f"Revoke {key}")
    browser.press("Revoke")
    browser.sees("The key is revoked.")
    browser.sees("revoked", "dialog td")
    browser.press("Done")
    browser.show("Web tokens")
    browser.press("New API token")
    browser.enter("Label", "website")
    browser.enter("Origins", "https://example.org")
    browser.press("Create")
    assert len(browser.one("dialog pre").text) == 64
    browser.press("Done")
    browser.sees("https://example.org", "main td")
    row = browser.driver.find_elements(By.XPATH, "//tr[.//td[text()='website']]//button")[-1]
    row.click()
    browser.press("Revoke")
    browser.sees("is revoked.")
    browser.show("Audit log")
    browser.sees("RevokeWebToken", "main td")
    browser.press("Verify the chains")
    browser.sees("no inconsistencies")
    browser.show("Cluster")
    browser.sees("The database is embedded")
    browser.sees("gateway", "main td")


def test_metrics_are_rates_latencies_and_sizes(world: World, browser: Browser, user: str) -> None:
    browser.sign_in("root")
    browser.show("Metrics")

    # At once: each value replaces the cards and rows.
    def card(title: str) -> str:
        script = "return document.querySelector(`section[aria-label='${arguments[0]}']`).innerText"
        return str(browser.driver.execute_script(script, title)).replace("\n\n", "\n")

    def of_method(method: str) -> list[str]:
        rows = browser.driver.execute_script(
            "return [...document.querySelectorAll('main tbody tr')]"
            ".map((row) => [...row.children].map((cell) => cell.innerText))"
        )
        return next((row for row in rows if row[0] == method), [])

    def is_busy() -> bool:
        world.save(user, record("m", "Measured", n={"int64Value": "1"}))
        return not card("Records saved").split("\n")[1].startswith(("0/s", "–"))

    browser.until(is_busy, "no rate of saved records")
    browser.until(
        lambda: browser.driver.find_elements(
            By.CSS_SELECTOR, "section[aria-label=Calls] polyline[points*=' ']"
        ),
        "no chart",
    )
    for title, unit in [("Database", "iB"), ("Log of the database (WAL)", "iB"), ("Memory", "MiB")]:
        assert unit in card(title), card(title)
    assert int(card("Connections, rpc").split("\n")[1]) >= 1
    assert card("Queue: readers").split("\n")[1] == "0"

    def has_syncs() -> bool:
        # Of the last seconds, in which somebody has to save.
        world.save(user, record("m", "Measured", n={"int64Value": "1"}))
        return "median –" not in card("Disk syncs")

    browser.until(has_syncs, "no latency of syncs")
    before = int(of_method("RecordService/ModifyRecords")[4].replace(",", ""))
    world.save(user, record("m", "Measured", n={"int64Value": "2"}))

    def counted() -> bool:
        row = of_method("RecordService/ModifyRecords")
        return bool(row) and int(row[4].replace(",", "")) > before and row[2].endswith("s")

    browser.until(counted, "the save is not counted")
    # Nothing is counted unless somebody asks for it.
    assert "Tombstones" not in browser.text("main")
    browser.press("Count what is stored")
    browser.sees("Tombstones", ".card")


def test_delivery_targets_and_their_dead_letters(world: World, browser: Browser, user: str) -> None:
    world.save(user, record("d", "Delivered", n={"int64Value": "0"}))
    subscription = {
        "subscriptionId": "delivered", "type": "SUBSCRIPTION_TYPE_QUERY", "recordType": "Delivered",
        "firesOnRecordUpdate": True,
        "notificationInfo": {"alertBody": "An alert", "desiredKeys": ["n"]},
    }  # fmt: skip
    world.call(
        user,
        "SubscriptionService/ModifySubscriptions",
        {"databaseId": {"scope": "DATABASE_SCOPE_PRIVATE"}, "subscriptionsToSave": [subscription]},
    )
    world.ctl(user, "targets", "add", "--webhook", "https://example.org/hook", "--device", "laptop")
    (target,) = (
        one["targetId"]
        for one in world.call(user, "DeliveryService/FetchDeliveryTargets", {})["targets"]
    )
    browser.sign_in(user)
    browser.show("Deliveries")
    browser.sees("https://example.org/hook", "main td")
    browser.sees("working", "main td")
    browser.sees("No dead letters.")
    browser.press(f"Send a test to {target}")
    browser.sees("waits for a sender.")
    world.give_up(target, "503 <b>busy</b>")
    world.save(user, record("d", "Delivered", n={"int64Value": "42"}))
    world.give_up(target, "503 <b>busy</b>")
    browser.press("Reload")
    browser.sees("503 <b>busy</b>", "main td")
    browser.sees("record updated Delivered d", "main td")
    letters = world.call(user, "DeliveryService/FetchDeadLetters", {})["deadLetters"]
    (letter,) = (one["deadLetterId"] for one in letters if "notification" in one)
    browser.press(f"Read {letter}")
    browser.sees("An alert", "dialog")
    browser.sees("42", "dialog dl.record")
    assert browser.unnamed() == []
    browser.press("Done")
    browser.press(f"Send {letter} again")
    browser.sees("1 dead letter will be sent again.")
    browser.until(
        lambda: not browser.driver.find_elements(
            By.CSS_SELECTOR, f"main tr[data-name='{letter}']"
        ),
        "the dead letter is there",
    )
    leased = world.call("sender", "DeliveryService/LeaseDeliveries", {"limit": 50})["deliveries"]
    assert [one["targetId"] for one in leased] == [target]
    # It fails again, and is selected; one that is gone meanwhile says so.
    world.call(
        "sender",
        "DeliveryService/SettleDeliveries",
        {"settlements": [{"leaseId": leased[0]["leaseId"], "givenUp": True, "error": "again"}]},
    )
    browser.press("Reload")
    browser.sees("again", "main td")
    letters = world.call(user, "DeliveryService/FetchDeadLetters", {})["deadLetters"]
    (letter,) = (one["deadLetterId"] for one in letters if "notification" in one)
    world.call(user, "DeliveryService/ResendDeadLetters", {"deadLetterIds": [letter]})
    browser.labelled(f"Select {letter}").click()
    browser.press("Send selected again")
    browser.sees("1 dead letter not sent again")
    browser.press(f"Remove {target}")
    browser.press("Remove")
    browser.sees(f"The target {target} is removed.")
    browser.sees("No delivery targets in this container.")
    assert world.call(user, "DeliveryService/FetchDeliveryTargets", {}).get("targets", []) == []


def new_public_key(world: World, name: str) -> str:
    """The public key of a new pair."""
    path = str(world.folder / f"{name}.pair")
    return str(
        json.loads(world.run(program("rpcctl"), "keys", "generate", "-O", path))["publicKey"]
    )
