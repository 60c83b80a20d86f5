"""Signing in, and what ends a session."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from typing import Any

from browser import Browser
from world import Development, World

_TOKEN_HEADER = "X-Tidings-Request-Token"


def post(
    url: str, body: dict[str, Any] | None = None, **headers: str
) -> tuple[int, dict[str, Any], Any]:
    """Posts JSON, and returns the status, the answer and its headers."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, json.dumps(body or {}).encode(), names, method="POST")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or b"{}"), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read() or b"{}"), error.headers


class Session:
    """A session without a browser."""

    def __init__(self, world: World, user: str) -> None:
        self.url = world.url
        token = world.link(user).rsplit("/", 1)[1]
        status, answer, headers = post(f"{world.url}/dashboard/sign-in", {"token": token})
        assert status == 200, answer
        self.set_cookie = headers["Set-Cookie"]
        self.cookie = self.set_cookie.split(";")[0]
        self.token = answer["requestToken"]
        self.answer = answer

    def call(
        self, method: str, request: dict[str, Any] | None = None, **headers: str
    ) -> tuple[int, Any]:
        """Calls a method."""
        headers = {"Cookie": self.cookie, _TOKEN_HEADER: self.token, **headers}
        return post(f"{self.url}/dashboard/rpc/{method}", request, **headers)[:2]


def test_a_link_signs_one_browser_in_once(world: World, browser: Browser, user: str) -> None:
    link = world.link(user)
    browser.driver.get(link)
    browser.sees(user, "#actor")
    browser.sees("developer", "#actor")
    assert "sign-in" not in browser.driver.current_url
    browser.driver.refresh()
    browser.sees(user, "#actor")
    # A second use.
    status, answer, _ = post(f"{world.url}/dashboard/sign-in", {"token": link.rsplit("/", 1)[1]})
    assert status == 401 and "used already" in answer["message"]
    browser.press("Sign out")
    browser.sees("rpcctl dashboard")
    browser.driver.refresh()
    browser.sees("rpcctl dashboard")
    # In a tab that shows the page, only what is behind the # changes.
    browser.driver.get(link)
    browser.sees("the link was used already")
    browser.driver.get(world.link(user))
    browser.sees(user, "#actor")
    browser.driver.get(link)
    browser.sees("the link was used already", "#messages")
    browser.sees(user, "#actor")
    # Chromium reports requests that were refused.
    browser.forget("/dashboard/session", "/dashboard/sign-in")


def test_a_link_of_another_user_asks_first(world: World, browser: Browser, user: str) -> None:
    world.create_user(f"{user}-2")
    browser.sign_in(user)
    # In the tab, and in one that is loaded.
    for address in [browser.driver.current_url, "about:blank"]:
        browser.driver.get(address)
        browser.driver.get(world.link(f"{user}-2"))
        browser.sees(f"You are signed in as {user}.", "dialog")
        browser.sees(f"The link that was opened is one of {user}-2 (no roles).", "dialog")
        browser.press("Cancel")
        browser.sees("developer", "#actor")
    browser.driver.refresh()
    browser.sees("developer", "#actor")
    browser.show("Zones")
    browser.enter("Name of a new zone", "mine")
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(world.link(f"{user}-2"))
    browser.press("Sign in")
    browser.sees(f"{user}-2 (no roles)", "#actor")
    # What the first tab was about to do as one user is not done as another.
    browser.driver.switch_to.window(browser.driver.window_handles[0])
    browser.press("Create")
    browser.sees(f"{user}-2 (no roles)", "#actor")
    browser.sees("nothing was done", "#messages")
    browser.settled()
    browser.sees_no("mine", "main")
    # Chromium reports requests that were refused.
    browser.forget("403")


def test_the_cookie_and_the_headers_protect_the_session(world: World, user: str) -> None:
    session = Session(world, user)
    assert re.search(r"HttpOnly; SameSite=Strict", session.set_cookie)
    assert session.call("AccountService/FetchAccountStatus")[1]["userRecordName"] == user
    # Another page has the cookie at best.
    for headers in [{_TOKEN_HEADER: ""}, {_TOKEN_HEADER: "0" * 64}]:
        assert session.call("AccountService/FetchAccountStatus", **headers)[0] == 403
    assert session.call("AccountService/FetchAccountStatus", Origin="https://example.org")[0] == 403
    assert session.call("AccountService/FetchAccountStatus", Cookie="tidings-dashboard=x")[0] == 401
    with urllib.request.urlopen(f"{world.url}/") as page:
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy and "unsafe" not in policy
        assert page.headers["X-Frame-Options"] == "DENY"
        assert page.headers["X-Content-Type-Options"] == "nosniff"


def test_a_link_is_good_for_signing_in_alone(world: World, user: str) -> None:
    token = world.link(user).rsplit("/", 1)[1]
    session = Session(world, user)
    session.cookie = f"tidings-dashboard={token}"
    assert session.call("AccountService/FetchAccountStatus")[0] in (401, 403)
    status, _, _ = post(
        f"{world.url}/dashboard/sign-in", {"token": token}, Origin="https://example.org"
    )
    assert status == 403
    assert post(f"{world.url}/dashboard/sign-in", {"token": token})[0] == 200


def test_methods_are_those_of_the_list_and_of_the_role(world: World, user: str) -> None:
    session = Session(world, user)
    for method in ["AdminService/FetchUserData", "AdminService/EraseUser", "AdminService/CreateBackup",
                   "AccountService/IssueWebAuthToken", "GatewayService/BeginSignIn", "X/Y"]:  # fmt: skip
        assert session.call(method)[0] == 404, method
    status, answer = session.call("AdminService/ListUsers")
    assert status == 403 and answer["error"]["code"] == "ERROR_CODE_PERMISSION_FAILURE"
    root = Session(world, "root")
    assert root.call("AdminService/ListUsers")[0] == 200
    # A role that is taken away is gone with the next call.
    world.create_user(f"{user}-2", "admin")
    other = Session(world, f"{user}-2")
    assert other.call("AdminService/ListUsers")[0] == 200
    world.call("root", "AdminService/AssignRoles", {"userName": f"{user}-2", "roles": []})
    assert other.call("AdminService/ListUsers")[0] == 403
    assert session.call("RecordService/QueryRecords", {"nonsense": 1})[0] == 400


def test_records_of_others_are_out_of_reach_for_administrators(world: World, user: str) -> None:
    world.save(user, {"recordId": {"recordName": "secret"}, "recordType": "Diaries"})
    root = Session(world, "root")
    for owner in ["", user]:
        for scope in ["PRIVATE", "SHARED"]:
            record_id = {
                "recordName": "secret",
                "zoneId": {"zoneName": "_defaultZone", "ownerName": owner},
            }
            _, answer = root.call(
                "RecordService/FetchRecords",
                {"databaseId": {"scope": f"DATABASE_SCOPE_{scope}"}, "recordIds": [record_id]},
            )
            assert not [one for one in answer.get("results", []) if "record" in one], answer


def test_revoking_the_key_ends_the_session_at_once(
    world: World, browser: Browser, user: str
) -> None:
    browser.sign_in(user)
    session = Session(world, user)
    account = world.call("root", "AdminService/ListUsers", {"userNames": [user]})["accounts"][0]
    world.call("root", "AdminService/RevokeKey", {"publicKey": account["keys"][0]["key"]})
    assert session.call("AccountService/FetchAccountStatus")[0] == 401
    browser.press("Zones")
    browser.sees("rpcctl dashboard")
    browser.forget("401")


def test_signing_out_and_an_administrator_end_a_session(world: World, user: str) -> None:
    session = Session(world, user)
    headers = {"Cookie": session.cookie, _TOKEN_HEADER: session.token}
    assert post(f"{world.url}/dashboard/sign-out", {}, **headers)[0] == 200
    assert session.call("AccountService/FetchAccountStatus")[0] == 401
    session = Session(world, user)
    tokens = world.call("root", "AdminService/ListWebTokens", {"userName": user})["tokens"]
    newest = max(tokens, key=lambda token: int(token["id"]))
    assert newest["label"] == "dashboard" and "publicKey" not in newest
    world.call("root", "AdminService/RevokeWebToken", {"id": newest["id"]})
    assert session.call("AccountService/FetchAccountStatus")[0] == 401


def test_events_end_with_their_session_before_more_is_sent(world: World, user: str) -> None:
    database = {"container": "app", "scope": "DATABASE_SCOPE_PRIVATE"}

    def save(name: str) -> None:
        record = {"recordId": {"recordName": name}, "recordType": "Seen"}
        request = {"databaseId": database, "recordsToSave": [record]}
        answer = world.call(user, "RecordService/ModifyRecords", request)
        assert "error" not in answer["results"][0], answer

    save("before")
    subscription = {
        "subscriptionId": "seen", "type": "SUBSCRIPTION_TYPE_QUERY", "recordType": "Seen",
        "firesOnRecordCreation": True,
    }  # fmt: skip
    request = {"databaseId": database, "subscriptionsToSave": [subscription]}
    saved = world.call(user, "SubscriptionService/ModifySubscriptions", request)
    assert "error" not in saved["results"][0], saved
    session = Session(world, user)
    headers = {"Cookie": session.cookie, _TOKEN_HEADER: session.token}
    url = f"{world.url}/events/app/development?ckAPIToken=dashboard&from=now"
    with urllib.request.urlopen(urllib.request.Request(url, None, headers)) as events:
        lines = (line.decode() for line in events)
        next(line for line in lines if line.startswith("id:"))
        save("first")
        assert "first" in next(line for line in lines if line.startswith("data:"))
        assert post(f"{world.url}/dashboard/sign-out", {}, **headers)[0] == 200
        save("second")
        rest = "".join(lines)
    assert "event: error" in rest and "AUTHENTICATION_REQUIRED" in rest, rest
    assert "second" not in rest


def test_a_renewed_session_goes_on(world: World, user: str) -> None:
    session = Session(world, user)
    headers = {"Cookie": session.cookie, _TOKEN_HEADER: session.token}
    status, answer, sent = post(f"{world.url}/dashboard/renew", {}, **headers)
    assert status == 200 and answer["requestToken"] != session.token
    # Answers to requests that are on their way still arrive.
    assert session.call("AccountService/FetchAccountStatus")[0] == 200
    (session.cookie, session.token) = (sent["Set-Cookie"].split(";")[0], answer["requestToken"])
    assert session.call("AccountService/FetchAccountStatus")[0] == 200


def test_without_keys_the_named_user_signs_in(browser: Browser, development: Development) -> None:
    browser.driver.get(development.link("ada"))
    browser.sees("ada (development mode: all roles)", "#actor")
    browser.show("Users")
    browser.show("Metrics")
    browser.sees("Since the start", "main th")
