"""The client for programs without an event loop."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from server import Server

import tidings
import tidings.sync
from tidings import Record
from tidings.rpc.v1.health_pb2 import SERVING_STATUS_SERVING, CheckRequest, WatchRequest


@pytest.fixture
def client(shared_server: Server, user: str) -> tidings.sync.Client:
    return tidings.sync.Client(shared_server.rpc, user=user, timeout=600, connect_timeout=600)


def test_the_same_api() -> None:
    pairs: list[tuple[type, type]] = [
        (tidings.Client, tidings.sync.Client),
        (tidings.Database, tidings.sync.Database),
        (tidings.Inbox, tidings.sync.Inbox),
    ]
    awaited_only = {"aclose", "subscriber", "move_count", "notification_stream"}
    for awaited, waiting in pairs:
        names = {name for name in dir(awaited) if not name.startswith("_")} - awaited_only
        missing = names - set(dir(waiting))
        assert not missing, f"tidings.sync.{waiting.__name__} lacks {missing}"


def test_records_and_streams(client: tidings.sync.Client) -> None:
    with client:
        database = client.database()
        database.save_all([Record("Houses", f"h{n}", {"price": n}) for n in range(5)])
        found = [record["price"] for record in database.query("Houses", "price > %@", 1)]
        assert sorted(str(price) for price in found) == ["2", "3", "4"]
        assert database.fetch("h1")["price"] == 1
        with pytest.raises(tidings.UnknownItem):
            database.fetch("nobody")
        assert client.health.check(CheckRequest()).status == SERVING_STATUS_SERVING
        with client.health.watch(WatchRequest()) as stream:
            assert next(stream).status == SERVING_STATUS_SERVING
        changed = [record.name for page in database.changes() for record in page.changed]
        assert sorted(changed) == ["h0", "h1", "h2", "h3", "h4"]
        assert {zone.name for page in database.zone_changes() for zone in page.changed}
        asset = database.upload_asset(b"few")
        assert database.asset_bytes(asset) == b"few"
    with pytest.raises(RuntimeError, match="inside 'with'"):
        database = client.database()


def test_the_inbox(client: tidings.sync.Client, tmp_path: Path) -> None:
    with client, client.inbox(tmp_path / "inbox") as inbox:
        database = client.database()
        # A subscription needs a type that is in the schema.
        database.save(Record("Letters", "before"))
        database.save_subscription(tidings.query_subscription("all", "Letters"))
        database.save_all([Record("Letters", "a"), Record("Letters", "b")])
        names = []
        for item in inbox:
            names.append(item.notification.record_name)
            inbox.commit(item)
            if len(names) == 2:
                break
        assert sorted(names) == ["a", "b"]
        assert inbox.position == inbox.committed_position
        items = iter(inbox)
        ended = threading.Event()

        def wait() -> None:
            for _ in items:
                pass
            ended.set()

        thread = threading.Thread(target=wait)
        thread.start()
        inbox.close()
        thread.join()
        assert ended.is_set()


def test_many_threads_share_a_client(client: tidings.sync.Client) -> None:
    with client:
        names: list[str] = []
        threads = [
            threading.Thread(
                target=lambda n=n: names.append(
                    client.database().save(Record("Things", f"t{n}")).name
                )
            )
            for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(names) == [f"t{n}" for n in range(8)]
