"""The inbox against a real server with random failures; the seed is printed.

``TIDINGS_INBOX_SEED=N`` repeats a run, ``TIDINGS_INBOX_ROUNDS=N`` makes it longer.
"""

from __future__ import annotations

import asyncio
import functools
import os
import random
from pathlib import Path

from proxy import PushProxy
from server import Server

import tidings
from tidings import Record
from tidings.v1.notification_service_pb2 import (
    FetchNotificationChangesRequest,
    RotateChannelsRequest,
)


async def log(client: tidings.Client) -> list[str]:
    """The IDs of all notifications in the server's log."""
    ids: list[str] = []
    request = FetchNotificationChangesRequest()
    while True:
        page = await client.notifications.fetch_notification_changes(request)
        ids += [one.notification_id for one in page.notifications]
        request.change_token = page.change_token
        if not page.more_coming:
            return ids


class Reader:
    """Reads notifications until :meth:`crash`, and records what it committed."""

    def __init__(self, client: tidings.Client, path: Path, dice: random.Random) -> None:
        self.committed: list[str] = []
        self._client = client
        self._path = path
        self._dice = dice
        self._task: asyncio.Task[None] | None = None
        self._progress = asyncio.Event()
        self._is_ending = False

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._read())

    async def crash(self) -> None:
        """Cancels the reader at an arbitrary point."""
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if not self._task.cancelled():
            self._task.result()

    async def wait_for(self, count: int) -> None:
        """Waits until this many are committed; uncommitted ones are redelivered first."""
        self._is_ending = True
        await self.crash()
        self.start()
        assert self._task is not None
        while len(self.committed) < count:
            self._progress.clear()
            waiting = asyncio.ensure_future(self._progress.wait())
            await asyncio.wait([waiting, self._task], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if self._task.done():
                self._task.result()

    async def _read(self) -> None:
        pending: list[str] = []
        async with self._client.inbox(self._path) as inbox:
            async for item in inbox:
                pending.append(item.notification.notification_id)
                if self._is_ending or self._dice.random() < 0.5:
                    # A crash happens either before or after a commit, and the reader must know
                    # which.
                    writing = asyncio.ensure_future(inbox.commit(item))
                    try:
                        await asyncio.shield(writing)
                    finally:
                        await writing
                        self.committed += pending
                        pending = []
                        self._progress.set()


async def test_nothing_is_missed_or_repeated(tmp_path: Path) -> None:
    seed = int(os.environ.get("TIDINGS_INBOX_SEED", random.randrange(2**32)))
    rounds = int(os.environ.get("TIDINGS_INBOX_ROUNDS", "60"))
    print(f"TIDINGS_INBOX_SEED={seed}")
    dice = random.Random(seed)
    async with PushProxy() as proxy:
        server = Server(tmp_path, "--advertise-push", proxy.endpoint)
        server.start()
        proxy.connect(server.push)
        try:
            writer = server.client(user="u")
            reading = server.client(user="u", device="reader", reconcile_interval=1.0)
            async with writer, reading:
                await follow(server, proxy, writer, reading, tmp_path / "inbox", dice, rounds)
        finally:
            server.kill()


def _is_lost(dice: random.Random, chance: float, topic: bytes, body: bytes) -> bool:
    return dice.random() < chance


async def follow(
    server: Server,
    proxy: PushProxy,
    writer: tidings.Client,
    reading: tidings.Client,
    path: Path,
    dice: random.Random,
    rounds: int,
) -> None:
    database = writer.database()
    kinds = ["A", "B", "C"]
    subscriptions = 0
    # A subscription to a record type that the schema does not have is refused.
    await database.save_all([Record(kind, f"{kind}0", {"n": 0.0}) for kind in kinds])
    reader = Reader(reading, path, dice)
    reader.start()
    for _ in range(rounds):
        match dice.choices(
            ["save", "delete", "subscribe", "rotate", "lose", "crash", "kill"],
            [60, 10, 5, 5, 10, 6, 4],
        )[0]:
            case "save":
                kind = dice.choice(kinds)
                records = [
                    Record(kind, f"{kind}{dice.randrange(8)}", {"n": dice.random()})
                    for _ in range(dice.choice([1, 1, 1, 5]))
                ]
                unique = {record.name: record for record in records}
                await database.save_all(unique.values(), policy=tidings.SavePolicy.CHANGED_KEYS)
            case "delete":
                await database.delete(f"{dice.choice(kinds)}{dice.randrange(8)}")
            case "subscribe" if subscriptions < 6:
                kind = kinds[subscriptions % len(kinds)]
                where = "n > %@" if subscriptions >= len(kinds) else ""
                subscription = tidings.query_subscription(
                    f"s{subscriptions}", kind, where, *([0.3] if where else [])
                )
                subscriptions += 1
                await database.save_subscription(subscription)
            case "rotate":
                await writer.notifications.rotate_channels(
                    RotateChannelsRequest(), idempotency_key=str(dice.random())
                )
            case "lose":
                chance = dice.choice([0.0, 0.3, 1.0])
                proxy.loses = functools.partial(_is_lost, dice, chance)
            case "crash":
                await reader.crash()
                reader.start()
            case "kill":
                server.kill()
                server.start()
    truth = await log(writer)
    await reader.wait_for(len(truth))
    await reader.crash()
    assert sorted(reader.committed) == sorted(truth)
    for channel in {name.partition("-")[0] for name in truth}:
        of_channel = [name for name in reader.committed if name.partition("-")[0] == channel]
        assert of_channel == [name for name in truth if name.partition("-")[0] == channel]
