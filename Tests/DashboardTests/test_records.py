"""The records screen: create, edit, conflict, delete, query, explain, export, a database with many records."""

from __future__ import annotations

import json
from pathlib import Path

from browser import Browser
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from world import World, record


def rows(browser: Browser) -> list[str]:
    """The names of the rows that are shown."""
    return [
        row.get_attribute("data-name") or ""
        for row in browser.driver.find_elements(By.CSS_SELECTOR, "main tbody tr")
    ]


def stored(world: World, user: str, name: str) -> dict[str, object]:
    """The fields of a record, as another process finds them."""
    answer = world.call(
        user,
        "RecordService/FetchRecords",
        {"databaseId": {"scope": "DATABASE_SCOPE_PRIVATE"}, "recordIds": [{"recordName": name}]},
    )
    return dict(answer["results"][0]["record"].get("fields", {}))


def query(browser: Browser, kind: str) -> None:
    """Shows the records of a type."""
    browser.show("Records")
    browser.enter("Record type", kind)
    browser.press("Run")
    browser.settled()


def add_field(browser: Browser, name: str, kind: str) -> None:
    """Adds a field to the form of a record."""
    browser.enter("Name of a further field", name)
    browser.choose("Type of a further field", kind)
    browser.press("Add a field")


def test_a_record_of_all_types_is_created_and_edited(
    world: World, browser: Browser, user: str
) -> None:
    world.save(user, record("target", "Targets", title={"stringValue": "there"}))
    browser.sign_in(user)
    browser.press("New record")
    browser.enter("Record type", "Samples")
    browser.enter("Record name", "s1")
    for name, kind in [
        ("text", "STRING"), ("count", "INT64"), ("ratio", "DOUBLE"), ("day", "TIMESTAMP"),
        ("raw", "BYTES"), ("place", "LOCATION"), ("target", "REFERENCE"), ("file", "ASSET"),
        ("names", "LIST<STRING>"), ("marks", "LIST<INT64>"),
    ]:  # fmt: skip
        add_field(browser, name, kind)
    browser.enter("text", "Grüße <b>&amp;</b>")
    browser.enter("count", "9007199254740993")
    browser.enter("ratio", "0.1")
    browser.put("day", "2026-01-02T03:04:05")
    browser.enter("raw, base64", "AAEC")
    browser.enter("place, latitude", "48.1")
    browser.enter("place, longitude", "11.5")
    browser.press("Pick the record of target")
    browser.choose("Record type", "Targets")
    browser.press("Pick target")
    browser.choose("target, action", "none")
    path = browser.downloads / "content.txt"
    path.write_text("content of the asset")
    browser.labelled("file").send_keys(str(path))
    browser.sees("20 bytes", "dialog")
    browser.press("Add an entry to names")
    browser.enter("names, entry 1", "one")
    browser.press("Add an entry to names")
    browser.enter("names, entry 2", "two")
    browser.press("Add an entry to marks")
    browser.enter("marks, entry 1", "-5")
    assert browser.unnamed() == []
    browser.press("Save")
    browser.sees("The record s1 is saved.")
    fields = stored(world, user, "s1")
    assert fields["text"] == {"stringValue": "Grüße <b>&amp;</b>"}
    assert fields["count"] == {"int64Value": "9007199254740993"}
    assert fields["ratio"] == {"doubleValue": 0.1}
    assert fields["raw"] == {"bytesValue": "AAEC"}
    assert fields["names"] == {"stringListValue": {"values": ["one", "two"]}}
    assert fields["marks"] == {"int64ListValue": {"values": ["-5"]}}
    assert fields["target"]["referenceValue"]["recordId"]["recordName"] == "target"  # type: ignore[index]
    assert fields["file"]["assetValue"]["size"] == "20"  # type: ignore[index]
    assert (fields["place"]["locationValue"]["latitude"]) == 48.1  # type: ignore[index]
    query(browser, "Samples")
    browser.sees("Grüße <b>&amp;</b>", "main td")
    browser.press("Edit s1")
    browser.press("Download file")
    browser.until(lambda: (browser.downloads / "file").exists(), "the asset is not downloaded")
    assert (browser.downloads / "file").read_text() == "content of the asset"
    browser.enter("count", "x")
    browser.press("Save")
    browser.sees("count: not a whole number of 64 bits", "dialog")
    browser.enter("count", "7")
    browser.press("Remove the field ratio")
    browser.press("Save")
    browser.sees("The record s1 is saved.")
    fields = stored(world, user, "s1")
    assert fields["count"] == {"int64Value": "7"} and "ratio" not in fields
    # What was not edited was not sent, and so not rounded.
    assert fields["day"]["timestampValue"].endswith("05Z")  # type: ignore[index]


def test_a_conflict_shows_three_records(world: World, browser: Browser, user: str) -> None:
    world.save(
        user, record("c1", "Papers", title={"stringValue": "old"}, pages={"int64Value": "1"})
    )
    browser.sign_in(user)
    query(browser, "Papers")
    browser.press("Edit c1")
    browser.enter("title", "mine")
    browser.enter("pages", "2")
    world.save(
        user, record("c1", "Papers", title={"stringValue": "theirs"}, pages={"int64Value": "3"})
    )
    browser.press("Save")
    browser.sees("The record was changed by another client", "dialog")
    cells = browser.one("dialog table").text
    for text in ["mine", "theirs", "old", "Ancestor"]:
        assert text in cells, cells
    assert browser.unnamed() == []
    browser.driver.find_element(
        By.CSS_SELECTOR, "input[aria-label='pages: use the server’s']"
    ).click()
    browser.press("Save the merged record")
    browser.sees("The record c1 is saved.")
    fields = stored(world, user, "c1")
    assert fields == {"title": {"stringValue": "mine"}, "pages": {"int64Value": "3"}}


def test_a_deletion_shows_its_cascade_first(world: World, browser: Browser, user: str) -> None:
    parent = {"recordId": {"recordName": "parent"}, "action": "REFERENCE_ACTION_DELETE_SELF"}
    world.save(
        user,
        record("parent", "Albums"),
        *[record(f"song{n}", "Songs", album={"referenceValue": parent}) for n in range(3)],
    )
    browser.sign_in(user)
    query(browser, "Albums")
    browser.press("Delete parent")
    browser.sees("The deletion cascades to 3 records:", "dialog")
    browser.sees("Songs song1, which refers to parent", "dialog")
    browser.press("Cancel")
    browser.until(lambda: rows(browser) == ["parent"], "the record is gone")
    query(browser, "Songs")
    assert rows(browser) == ["song0", "song1", "song2"]
    query(browser, "Albums")
    browser.labelled("Select parent").click()
    browser.press("Delete selected")
    browser.press("Delete")
    browser.sees("4 records deleted.")
    query(browser, "Songs")
    browser.sees("No record matches.")


def test_queries_are_built_explained_and_saved(world: World, browser: Browser, user: str) -> None:
    world.save(
        user,
        *[
            record(f"h{n}", "Homes", city={"stringValue": city}, price={"int64Value": str(n)})
            for n, city in enumerate(["Bern", "Basel", 'a "quoted" town', "Bern"])
        ],
    )
    browser.sign_in(user)
    query(browser, "Homes")
    browser.press("Filter")
    browser.press("Add a condition")
    browser.choose("Field of condition 1", "city")
    browser.enter("Value of condition 1", "Bern")
    browser.press("Add a condition")
    browser.choose("Field of condition 2", "price")
    browser.choose("Operator of condition 2", ">")
    browser.enter("Value of condition 2", "1")
    assert browser.labelled("Predicate").get_attribute("value") == 'city = "Bern" AND price > 1'
    browser.press("Run")
    browser.until(lambda: rows(browser) == ["h3"], "the filter has no effect")
    browser.press("Explain")
    browser.sees("How the query is executed")
    browser.sees('city = "Bern"', "dl")
    browser.press("Save the filter")
    # The text is shown by the form, as far as it can be.
    browser.put("Predicate", r'city == "a \"quoted\" town"')
    assert browser.labelled("Value of condition 1").get_attribute("value") == 'a "quoted" town'
    browser.press("Run")
    browser.until(lambda: rows(browser) == ["h2"], "the text has no effect")
    browser.put("Predicate", 'NOT (city = "Bern")')
    browser.sees("The form cannot show this predicate")
    browser.choose("Sort by", "price")
    browser.choose("Direction", "descending")
    browser.press("Run")
    browser.until(lambda: rows(browser) == ["h2", "h1"], "the text is not used")
    browser.press("Use the saved filter")
    assert browser.labelled("Predicate").get_attribute("value") == 'city = "Bern" AND price > 1'
    browser.put("Predicate", "city = ")
    browser.press("Run")
    browser.sees("expected", "main [role=alert]")
    browser.forget("400")


def test_many_records_come_page_by_page_and_are_exported(
    world: World, browser: Browser, user: str
) -> None:
    for start in range(0, 120, 60):
        world.save(
            user,
            *[
                record(
                    f"r{n:03}",
                    "Rows",
                    n={"int64Value": str(n)},
                    f={"stringValue": "-1+1" if n == 1 else '=1+1,"x"'},
                )
                for n in range(start, start + 60)
            ],
        )
    browser.sign_in(user)
    query(browser, "Rows")
    browser.choose("Sort by", "recordName")
    browser.press("Run")
    browser.sees("50 shown", ".grid-foot")
    browser.press("More")
    browser.sees("100 shown", ".grid-foot")
    assert len(rows(browser)) == 100
    browser.press("More")
    browser.sees("120 shown, all", ".grid-foot")
    browser.press("Columns")
    browser.named("n", "label").click()
    browser.until(
        lambda: (
            "n" not in [th.text for th in browser.driver.find_elements(By.CSS_SELECTOR, "main th")]
        ),
        "n is shown",
    )
    browser.settled()
    browser.press("Export CSV")
    content = downloaded(browser, "Rows.csv")
    assert content.startswith("recordName,zoneName,recordType,changeTag,created,modified,f,n")
    # No spreadsheet takes it for a formula.
    assert '"\'=1+1,""x""",0' in content and content.count("\r\n") == 51
    assert ",'-1+1,1\r\n" in content
    browser.labelled("Select r001").click()
    browser.press("Export JSON")
    exported = json.loads(downloaded(browser, "Rows.json"))
    assert [one["recordName"] for one in exported] == ["r001"] and exported[0]["fields"]["n"] == "1"


def downloaded(browser: Browser, name: str) -> str:
    """The content of a file, as soon as it is complete."""
    path: Path = browser.downloads / name
    browser.until(path.exists, f"{name} is not saved")
    return path.read_bytes().decode()


def test_a_record_is_created_with_the_keyboard_alone(
    world: World, browser: Browser, user: str
) -> None:
    browser.sign_in(user)
    browser.sees("Records", "main h1")

    def focused() -> str:
        return str(
            browser.driver.execute_script(
                "const e = document.activeElement; return e.getAttribute('aria-label')"
                " ?? [...(e.labels ?? [])].map((l) => l.textContent.trim()).join() ?? ''"
            )
            or browser.driver.switch_to.active_element.text
        )

    def tab_to(name: str) -> None:
        for _ in range(60):
            browser.driver.switch_to.active_element.send_keys(Keys.TAB)
            if focused() == name:
                return
        raise AssertionError(f"Tab does not reach '{name}'")

    def send(*keys: str) -> None:
        browser.driver.switch_to.active_element.send_keys(*keys)

    tab_to("Skip to content")
    send(Keys.ENTER)
    tab_to("New record")
    send(Keys.ENTER)
    browser.one("dialog[open]")
    tab_to("Record type")
    send("Keys")
    tab_to("Record name")
    send("k1")
    tab_to("Name of a further field")
    send("title")
    tab_to("Add a field")
    send(Keys.SPACE)
    browser.until(lambda: focused() == "title", "the new field has no focus")
    send("typed")
    tab_to("Save")
    send(Keys.ENTER)
    browser.sees("The record k1 is saved.")
    assert stored(world, user, "k1") == {"title": {"stringValue": "typed"}}
    # Escape closes a dialog.
    browser.press("New record")
    browser.one("dialog[open]")
    send(Keys.ESCAPE)
    browser.until(lambda: browser.root is None, "the dialog is open")
