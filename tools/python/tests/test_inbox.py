"""The inbox against real servers that are killed, and with lost pushes."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from conftest import ClientMaker
from google.protobuf.any_pb2 import Any as AnyMessage
from peer import Peer, notification_page
from ports import ReservedPort
from proxy import PushProxy
from server import Server
from waiting import first, until

import tidings
from tidings import Record
from tidings.inbox.errors import (
    InboxClosed,
    PositionDamaged,
    PositionInUse,
    PositionOwnerMismatch,
    StaleNotification,
)
from tidings.inbox.inbox import (
    ConnectionLost,
    ConnectionRestored,
    InboxEvent,
    InboxNotification,
)
from tidings.inbox.position_file import PositionFile
from tidings.rpc.status import StatusCode
from tidings.v1 import database_pb2, error_pb2
from tidings.v1.notification_pb2 import NotificationInfo, Push
from tidings.v1.notification_service_pb2 import RegisterDeviceResponse, RotateChannelsRequest

T = TypeVar("T")


async def subscribe(database: tidings.Database) -> None:
    info = NotificationInfo(desired_keys=["n"])
    # Tests share the server's schema: a record that fires nothing adds the field that is subscribed
    # to.
    common = database_pb2.DatabaseID()
    common.CopyFrom(database.id)
    common.scope = database_pb2.DATABASE_SCOPE_PUBLIC
    await tidings.Database(database._transport, common).save(Record("Things", fields={"n": 0}))
    await database.save_subscription(tidings.query_subscription("all", "Things", info=info))


async def save(database: tidings.Database, *numbers: int) -> None:
    for n in numbers:
        await database.save(Record("Things", f"t{n}", {"n": n}))


async def take(items: AsyncIterator[T], count: int) -> list[T]:
    return [await anext(items) for _ in range(count)]


def numbers(items: list[tidings.InboxNotification]) -> list[tidings.Value]:
    return [item.notification.fields["n"] for item in items]


async def test_from_the_log_and_then_by_push(make_client: ClientMaker) -> None:
    async with make_client() as writer, make_client(device="reader") as reader:
        database = writer.database()
        await subscribe(database)
        await save(database, 1, 2)
        async with reader.inbox() as inbox:
            items = aiter(inbox)
            assert numbers(await take(items, 2)) == [1, 2]
            await save(database, 3)
            assert numbers(await take(items, 1)) == [3]
            await database.delete("t1")
            (item,) = await take(items, 1)
            assert item.notification.record_id == tidings.RecordID("t1")
            assert item.notification.subscription_id == "all"
            position = item.notification.message.position
            assert item.notification.notification_id == (
                f"{position.channel_id}-{position.sequence_number}"
            )


async def test_committed_notifications_are_not_redelivered(
    make_client: ClientMaker, tmp_path: Path
) -> None:
    path = tmp_path / "inbox"
    async with make_client() as writer, make_client(device="reader") as reader:
        await subscribe(writer.database())
        await save(writer.database(), *range(6))
        async with reader.inbox(path) as inbox:
            items = await take(aiter(inbox), 4)
            assert numbers(items) == [0, 1, 2, 3]
            await inbox.commit(items[1])
            # Committing an earlier one has no effect.
            await inbox.commit(items[0])
            with pytest.raises(PositionInUse):
                reader.inbox(path)
        with pytest.raises(InboxClosed):
            await inbox.commit()
        async with reader.inbox(path) as inbox:
            again = aiter(inbox)
            assert numbers(await take(again, 2)) == [2, 3]
            await inbox.commit()
            fresh = aiter(inbox)
            assert numbers(await take(fresh, 1)) == [4]
            with pytest.raises(StopAsyncIteration):
                await anext(again)
            with pytest.raises(StaleNotification):
                await inbox.commit(items[0])
        async with reader.inbox(items[2].position) as inbox:
            assert numbers(await take(aiter(inbox), 1)) == [3]
            await inbox.restart()
            assert numbers(await take(aiter(inbox), 1)) == [0]
        async with make_client(user="another") as other:
            with pytest.raises(PositionOwnerMismatch, match="belongs to user"):
                other.inbox(path)
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        with pytest.raises(PositionDamaged, match="restore a copy"):
            reader.inbox(path)


async def test_a_commit_that_is_cancelled_is_whole(
    make_client: ClientMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "inbox"
    begun, may_end = threading.Event(), threading.Event()
    write = PositionFile.write

    def write_slowly(file: PositionFile, position: tidings.InboxPosition) -> None:
        begun.set()
        may_end.wait()
        write(file, position)

    async with make_client() as writer, make_client(device="reader") as reader:
        await subscribe(writer.database())
        await save(writer.database(), 1)
        async with reader.inbox(path) as inbox:
            (item,) = await take(aiter(inbox), 1)
            monkeypatch.setattr(PositionFile, "write", write_slowly)
            commit = asyncio.ensure_future(inbox.commit(item))
            await asyncio.to_thread(begun.wait)
            commit.cancel()
            await asyncio.sleep(0)
            assert not commit.done()
            may_end.set()
            with pytest.raises(asyncio.CancelledError):
                await commit
            kept = tidings.InboxPosition.from_bytes(path.read_bytes())
            assert kept == item.position == inbox.committed_position


async def test_a_device_is_not_notified_of_its_own_changes(make_client: ClientMaker) -> None:
    async with make_client(device="a") as a, make_client(device="b") as b:
        await subscribe(a.database())
        async with a.inbox() as inbox:
            items = aiter(inbox)
            await save(a.database(), 1)
            await save(b.database(), 2)
            await save(a.database(), 3)
            await save(b.database(), 4)
            assert numbers(await take(items, 2)) == [2, 4]


async def test_notifications_are_python_values(make_client: ClientMaker) -> None:
    async with make_client() as writer, make_client(device="reader") as reader:
        database = writer.database()
        time = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
        await writer.database("public").save(Record("Things", fields={"n": 0, "at": time}))
        info = NotificationInfo(alert_body="hello", desired_keys=["n", "at"])
        await database.save_subscription(tidings.query_subscription("q", "Things", info=info))
        await database.save_zone("home")
        await database.save_subscription(tidings.zone_subscription("z", "home"))
        async with reader.inbox() as inbox:
            items = aiter(inbox)
            await database.save(Record("Things", "t1", {"n": 7, "at": time, "unasked": 1}))
            notification = (await anext(items)).notification
            assert notification == tidings.Notification(
                notification_id=notification.notification_id,
                type=tidings.NotificationType.QUERY,
                subscription_id="q",
                database="private",
                reason=tidings.NotificationReason.RECORD_CREATED,
                record_id=tidings.RecordID("t1"),
                zone=tidings.ZoneID(),
                record_type="Things",
                fields={"n": 7, "at": time},
                committed=notification.committed,
                info=notification.info,
            )
            assert notification.info is not None and notification.info.alert_body == "hello"
            assert notification.committed is not None
            assert abs(datetime.now(timezone.utc) - notification.committed) < timedelta(hours=1)
            await database.save(Record("Places", "p1", zone="home"))
            notification = (await anext(items)).notification
            assert notification.type is tidings.NotificationType.RECORD_ZONE
            assert notification.zone == tidings.ZoneID("home")
            assert notification.record_id is None and notification.fields == {}
        async for notification in reader.notification_stream():
            assert notification.record_id == tidings.RecordID("t1")
            break


async def test_read_marks(make_client: ClientMaker) -> None:
    async with make_client(device="a") as a, make_client(device="b") as b:
        await subscribe(a.database())
        async with a.inbox() as mine, b.inbox() as others:
            mine_items, others_items = aiter(mine), aiter(others)
            async with make_client() as writer:
                await save(writer.database(), 1, 2)
            items = await take(mine_items, 2)
            await take(others_items, 2)
            await mine.mark_read(items[1])
            (mark,) = await take(others_items, 1)
            assert mark.notification.type is tidings.NotificationType.READ_NOTIFICATION
            assert mark.notification.notification_id == items[1].notification.notification_id
            with pytest.raises(tidings.UnknownItem):
                await mine.mark_read("999999-1")


async def test_new_channels_and_rotation_are_noticed(make_client: ClientMaker) -> None:
    async with make_client() as writer, make_client(device="reader") as reader:
        database = writer.database()
        async with reader.inbox() as inbox:
            items = aiter(inbox)
            first = asyncio.ensure_future(take(items, 1))
            await asyncio.sleep(0)
            await subscribe(database)
            await save(database, 1)
            assert numbers(await first) == [1]
            await writer.notifications.rotate_channels(RotateChannelsRequest())
            for n in range(2, 10):
                await save(database, n)
                assert numbers(await take(items, 1)) == [n]


async def test_a_stream_resumes_after_its_token(make_client: ClientMaker) -> None:
    async with make_client() as writer, make_client(device="reader") as reader:
        await subscribe(writer.database())
        await save(writer.database(), 1, 2, 3)
        async with reader.notification_stream() as stream:
            first = await take(stream, 3)
            token = stream.change_token
        await save(writer.database(), 4)
        async with reader.notification_stream(after=token) as stream:
            (fourth,) = await take(stream, 1)
        assert [one.record_name for one in [*first, fourth]] == ["t1", "t2", "t3", "t4"]


async def test_an_expired_token_is_reported(make_client: ClientMaker) -> None:
    async with make_client() as client, client.notification_stream(after=b"nonsense") as stream:
        with pytest.raises(tidings.TidingsError):
            await anext(stream)


def refused(code: error_pb2.ErrorCode, seconds: int | None) -> AnyMessage:
    item = error_pb2.ItemError(code=code, message="not now")
    if seconds is not None:
        item.retry_after.seconds = seconds
    detail = AnyMessage()
    detail.Pack(item)
    return detail


async def fetch_refused(peer: Peer, status: StatusCode, detail: AnyMessage) -> None:
    """Answers a device, and refuses its first fetch."""
    registered = RegisterDeviceResponse(push_endpoint=ReservedPort().endpoint)
    await (await peer.receive()).answer(registered.SerializeToString())
    await (await peer.receive()).answer(status=status, message="not now", details=[detail])


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (StatusCode.RESOURCE_EXHAUSTED, error_pb2.ERROR_CODE_REQUEST_RATE_LIMITED),
        (StatusCode.UNAVAILABLE, error_pb2.ERROR_CODE_ZONE_BUSY),
    ],
)
async def test_a_fetch_that_is_refused_for_a_while_is_repeated(
    status: StatusCode, code: error_pb2.ErrorCode
) -> None:
    reasons: list[tidings.RPCError | None] = []
    async with (
        Peer() as peer,
        peer.client(retry=tidings.RetryPolicy(attempts_max=1)) as client,
        client.notification_stream(on_connection=reasons.append) as stream,
    ):
        notification = asyncio.ensure_future(anext(stream))
        await fetch_refused(peer, status, refused(code, seconds=1))
        await (await first(peer.receive(), notification)).answer(notification_page("n1"))
        assert (await notification).notification_id == "n1"
    # The server was reachable all the time.
    assert reasons == []


async def test_a_fetch_that_is_refused_for_good_ends_the_stream() -> None:
    async with (
        Peer() as peer,
        peer.client() as client,
        client.notification_stream() as stream,
    ):
        notification = asyncio.ensure_future(anext(stream))
        detail = refused(error_pb2.ERROR_CODE_QUOTA_EXCEEDED, seconds=None)
        await fetch_refused(peer, StatusCode.RESOURCE_EXHAUSTED, detail)
        with pytest.raises(tidings.QuotaExceeded, match="not now"):
            await notification


async def advertised(tmp_path: Path, proxy: PushProxy) -> Server:
    """A server whose clients receive their pushes from the proxy."""
    server = Server(tmp_path, "--advertise-push", proxy.endpoint)
    server.start()
    proxy.connect(server.push)
    return server


LOSSES: list[Callable[[random.Random], Callable[[bytes, bytes], bool]]] = [
    lambda dice: lambda topic, body: dice.random() < 0.5,
    # Beacons alone pass.
    lambda dice: lambda topic, body: Push.FromString(body).WhichOneof("content") is not None,
]


@pytest.mark.parametrize("loss", LOSSES, ids=["half", "contents"])
async def test_lost_pushes_are_recovered(
    tmp_path: Path, loss: Callable[[random.Random], Callable[[bytes, bytes], bool]]
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    async with PushProxy() as proxy:
        server = await advertised(tmp_path, proxy)
        try:
            async with server.client(user="u") as writer, server.client(user="u") as reader:
                await subscribe(writer.database())
                async with reader.inbox() as inbox:
                    items = aiter(inbox)
                    await save(writer.database(), 0)
                    assert numbers(await take(items, 1)) == [0]
                    proxy.loses = loss(random.Random(seed))
                    await save(writer.database(), *range(1, 40))
                    assert numbers(await take(items, 39)) == list(range(1, 40))
        finally:
            server.kill()
        assert proxy.lost


async def test_a_server_that_is_killed_again_and_again(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "inbox"
    events: list[InboxEvent] = []
    options = tidings.InboxOptions(on_event=events.append)
    total, rounds = 60, 3
    async with server.client(user="u") as writer, server.client(user="u", device="r") as reader:
        await subscribe(writer.database())

        got: list[InboxNotification] = []

        def reader_has(count: int) -> bool:
            return len(got) >= count

        async def write() -> None:
            for n in range(total):
                await save(writer.database(), n)
                if n % (total // rounds) == total // rounds - 1 and n < total - 1:
                    # Who has not connected yet loses no connection.
                    await until("the reader to have all", partial(reader_has, n + 1))
                    server.kill()
                    server.start()

        async with reader.inbox(path, options) as inbox:
            writing = asyncio.ensure_future(write())
            async for item in inbox:
                got.append(item)
                await inbox.commit(item)
                if len(got) == total:
                    break
            await writing
        assert numbers(got) == list(range(total))
        async with reader.inbox(path) as inbox:
            await save(writer.database(), total)
            assert numbers(await take(aiter(inbox), 1)) == [total]
    assert any(isinstance(event, ConnectionLost) for event in events)
    assert any(isinstance(event, ConnectionRestored) for event in events)
