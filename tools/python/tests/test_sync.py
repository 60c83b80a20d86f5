"""The client for programs without an event loop."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import PATIENCE
from ports import ReservedPort
from server import Server

import tidings
import tidings.sync
from tidings import Record
from tidings.rpc.retry import Backoff
from tidings.rpc.v1.health_pb2 import SERVING_STATUS_SERVING, CheckRequest, WatchRequest
from tidings.sync.loop import LoopThread


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


class Waiter(threading.Thread):
    """A thread that makes a blocking call, and keeps its error."""

    def __init__(self, call: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._call = call
        self._error: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self._call()
        except Exception as error:
            self._error = error

    def error(self) -> Exception | None:
        """Waits for the end of the call."""
        self.join(PATIENCE)
        assert not self.is_alive(), "the thread waits forever"
        return self._error


def test_closing_ends_what_other_threads_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pausing = threading.Event()

    def endless(backoff: Backoff) -> float:
        pausing.set()
        return math.inf

    monkeypatch.setattr(Backoff, "next", endless)
    client = tidings.sync.Client(ReservedPort().endpoint, user="ada", connect_timeout=0)
    with client:
        changes = client.database().changes(follow=True)
        waiter = Waiter(lambda: next(changes))
        assert pausing.wait(PATIENCE)
    error = waiter.error()
    assert isinstance(error, tidings.Cancelled) and error.message == "the client is closed"
    with pytest.raises(RuntimeError, match="closed"):
        next(changes)


def test_a_closed_loop_has_ended_its_tasks() -> None:
    loop = LoopThread()
    started = threading.Event()
    tasks: list[asyncio.Future[None]] = []
    ended: list[str] = []

    async def endless(name: str) -> None:
        started.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.append(name)

    waiter = Waiter(lambda: loop.run(endless("waited for")))
    assert started.wait(PATIENCE)
    loop.call(lambda: tasks.append(asyncio.ensure_future(endless("not waited for"))))
    loop.close()
    assert isinstance(waiter.error(), tidings.Cancelled)
    assert sorted(ended) == ["not waited for", "waited for"]
    loop.close()


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
