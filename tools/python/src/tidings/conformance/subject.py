"""The client under test."""

from __future__ import annotations

import asyncio
import platform
import traceback
from collections.abc import Sequence
from types import TracebackType

from tidings._version import __version__
from tidings.client import Client
from tidings.conformance import codecs
from tidings.conformance.invocation import invoke
from tidings.conformance.v1.conformance_pb2 import (
    Connect,
    Description,
    Feature,
    NotificationList,
    StartInbox,
    TakeNotifications,
    Task,
    TaskResult,
)
from tidings.errors import ItemError
from tidings.inbox.inbox import Inbox, InboxIterator
from tidings.inbox.position import InboxPosition
from tidings.rpc.errors import TidingsError
from tidings.rpc.keys import ClientKeys, KeyPair
from tidings.settings import Environment
from tidings.v1.database_pb2 import ENVIRONMENT_PRODUCTION

_CONNECT_TIMEOUT = 10.0
"""Seconds; short, because the runner starts and stops servers."""


class Subject:
    """Performs tasks."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._inbox_client: Client | None = None
        self._inbox: Inbox | None = None
        self._notifications: InboxIterator | None = None
        self._position = b""

    async def perform(self, task: Task) -> TaskResult:
        """Executes a task and returns its result; never raises."""
        try:
            return await self._perform(task)
        except codecs.Refused as error:
            return TaskResult(refused=str(error))
        except codecs.Unsupported as error:
            return TaskResult(unsupported=str(error))
        except Exception:
            return TaskResult(failed=traceback.format_exc())

    async def _perform(self, task: Task) -> TaskResult:
        match task.WhichOneof("action"):
            case "describe":
                return TaskResult(description=_description())
            case "round_trip":
                return TaskResult(encoded=codecs.round_trip(task.round_trip))
            case "open_push":
                return TaskResult(opened=codecs.open_push(task.open_push))
            case "open_value":
                return TaskResult(opened=codecs.open_value(task.open_value))
            case "connect":
                await self._connect(task.connect)
                return TaskResult(connected=True)
            case "invoke":
                assert self._client is not None, "not connected"
                return TaskResult(call=await invoke(self._client.transport, task.invoke))
            case "start_inbox":
                await self._start_inbox(task.start_inbox)
                return TaskResult(started=True)
            case "take_notifications":
                return TaskResult(notifications=await self._take(task.take_notifications))
            case "stop_inbox":
                await self._stop_inbox()
                return TaskResult(position=self._position)
            case action:
                raise codecs.Unsupported(f"the task {action}")

    # Connections.

    async def _connect(self, task: Connect) -> None:
        await self._close()
        keys = None
        if task.server_key:
            keys = ClientKeys(KeyPair(task.public_key, task.secret_key), task.server_key)
        self._client = _client([task.endpoint], keys, task.user, task.device)
        self._client.connect()

    async def _close(self) -> None:
        await self._stop_inbox()
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    # The inbox.

    async def _start_inbox(self, task: StartInbox) -> None:
        assert self._client is not None, "not connected"
        await self._stop_inbox()
        settings = self._client.settings
        self._inbox_client = _client(
            settings.endpoints,
            settings.keys,
            settings.user,
            settings.device,
            task.container,
            "production" if task.environment == ENVIRONMENT_PRODUCTION else "development",
        )
        self._inbox_client.connect()
        self._position = task.position
        start = InboxPosition.from_bytes(task.position) if task.position else None
        self._inbox = self._inbox_client.inbox(start)
        self._notifications = aiter(self._inbox)

    async def _take(self, task: TakeNotifications) -> NotificationList:
        assert self._notifications is not None, "no inbox was started"
        taken = NotificationList()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + task.timeout_ms / 1000
        while len(taken.notifications) < max(task.count, 1):
            rest = deadline - loop.time()
            try:
                item = await asyncio.wait_for(anext(self._notifications), max(rest, 0.001))
            except (asyncio.TimeoutError, StopAsyncIteration):
                break
            except (TidingsError, ItemError) as error:
                if taken.notifications:
                    break
                raise codecs.Refused(str(error)) from error
            taken.notifications.append(item.notification.message.SerializeToString())
            self._position = item.position.to_bytes()
        return taken

    async def _stop_inbox(self) -> None:
        if self._inbox is not None:
            await self._inbox.aclose()
        if self._inbox_client is not None:
            await self._inbox_client.aclose()
        self._inbox = self._inbox_client = self._notifications = None

    async def __aenter__(self) -> Subject:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._close()


def _client(
    endpoints: Sequence[str],
    keys: ClientKeys | None,
    user: str,
    device: str,
    container: str = "",
    environment: Environment = "development",
) -> Client:
    return Client(
        endpoints,
        keys=keys,
        user=user,
        device=device,
        container=container,
        environment=environment,
        connect_timeout=_CONNECT_TIMEOUT,
    )


def _description() -> Description:
    features = [name for name, number in Feature.items() if number]
    name = f"Python {platform.python_version()}, tidings {__version__}"
    return Description(name=name, features=features)
