"""The dashboard over HTTPS, and on nodes of a PostgreSQL database."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser
from selenium.webdriver.common.by import By
from world import ROOT, Development, World, record


def test_over_https_the_cookie_is_secure(tmp_path: Path) -> None:
    certificate, key = str(tmp_path / "certificate.pem"), str(tmp_path / "key.pem")
    World.run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
    )  # fmt: skip
    world = World(tmp_path, "--tls-certificate", certificate, "--tls-key", key)
    browser = Browser(world, tmp_path)
    try:
        assert world.url.startswith("https://")
        browser.sign_in("ada")
        cookies = {one["name"]: one for one in browser.driver.get_cookies()}
        assert list(cookies) == ["__Host-tidings-dashboard"]
        cookie = cookies["__Host-tidings-dashboard"]
        assert cookie["secure"] and cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        browser.press("New record")
        browser.enter("Record type", "Letters")
        browser.enter("Record name", "l1")
        browser.press("Save")
        browser.sees("The record l1 is saved.")
        browser.show("Live view")
        browser.sees("connected", "main [role=status]")
        browser.press("Sign out")
        browser.sees("rpcctl dashboard")
        assert browser.driver.get_cookies() == []
        assert browser.console() == [] and world.reports() == []
    finally:
        browser.quit()
        world.end()


@pytest.fixture
def database() -> Iterator[str]:
    """The address of an empty PostgreSQL database, on a server that ends with the test."""
    server = os.environ.get("TIDINGS_TEST_DATABASE")
    cluster: subprocess.Popen[str] | None = None
    if not server:
        program = str(ROOT / "tools" / "postgres-cluster")
        if subprocess.run([program, "--check"], capture_output=True).returncode != 0:
            pytest.skip("PostgreSQL is not installed: run tools/install-dependencies --postgres")
        cluster = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert cluster.stdout is not None
        server = cluster.stdout.readline().strip()
    name = f"test_{uuid.uuid4().hex}"
    World.run(
        "psql", "--quiet", "--no-psqlrc", f"--dbname={server}", f"--command=CREATE DATABASE {name}"
    )
    head, _, query = server.partition("?")
    base = head.rsplit("/", 1)[0] if head.count("/") > 2 else head
    yield f"{base}/{name}" + (f"?{query}" if query else "")
    if cluster is not None:
        cluster.communicate()


def test_nodes_of_a_database(database: str, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ["one", "two"]]
    for folder in folders:
        folder.mkdir()
    nodes = [Development(folder, folder.name, database) for folder in folders]
    # The dashboard of the node that follows.
    browser = Browser(nodes[1], tmp_path)
    try:
        browser.sign_in("ada")
        browser.press("New record")
        browser.enter("Record type", "Letters")
        browser.enter("Record name", "l1")
        browser.press("Save")
        browser.sees("The record l1 is saved.")
        browser.sees("l1", "main td")
        browser.show("Cluster")
        browser.sees("Term 1,")
        rows = browser.driver.find_elements(By.CSS_SELECTOR, "main table:first-of-type tbody tr")
        texts = [row.text for row in rows]
        assert any("one leader" in text for text in texts), texts
        assert any("two (called) follower" in text for text in texts), texts
        browser.show("Metrics")
        browser.sees("Node two, which follows")
        browser.sees("Calls forwarded to the leader", ".card")
        browser.sees_no("Commits", "main h3")
        browser.sees_no("Database", "main h3")
        # The other one takes over, and the page goes on.
        nodes[0].end()
        browser.sees("Node two, which leads")
        browser.sees("Database", "main h3")
        browser.show("Records")
        browser.sees("l1", "main td")
        browser.forget("status of 50")
        assert browser.console() == []
    finally:
        browser.quit()
        for node in nodes:
            node.end()
