"""A user's notifications, from the log and then live: the shell around ``InboxState``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

import zmq
from google.protobuf.message import DecodeError

from tidings.errors import ItemError, item_errors
from tidings.feeds.reader import ConnectionListener, late_max
from tidings.inbox.account import Account
from tidings.inbox.progress import Progress
from tidings.inbox.state import Fetch, InboxState, Listen, Register, Wait
from tidings.notifications import Notification
from tidings.page_limit import PageLimit
from tidings.rpc.errors import RPCError, Unavailable
from tidings.rpc.retry import Backoff
from tidings.rpc.status import StatusCode
from tidings.rpc.subscriber import Disconnected, Published, Subscriber
from tidings.v1 import database_pb2
from tidings.v1.notification_pb2 import Push
from tidings.v1.notification_service_pb2 import (
    FetchNotificationChangesRequest,
    FetchNotificationChangesResponse,
    RegisterDeviceRequest,
)

_PATIENCE = 1.0
"""How many seconds a stream waits for a connection before it says why there is none."""


class NotificationStream:
    """A user's notifications, from the log and then live: ``async for``, by one task.

    The iteration only makes progress while its consumer waits: a slow consumer receives fewer
    notifications by push and more from the log, and loses none. End it with ``async with`` or
    :meth:`aclose`.

    Raises ``ChangeTokenExpired``, other ``ItemError`` and ``RPCError`` that retrying does not fix.
    """

    def __init__(
        self,
        account: Account,
        *,
        after: bytes = b"",
        progress: Progress | None = None,
        on_connection: ConnectionListener | None = None,
        on_page: Callable[[Progress], None] | None = None,
    ) -> None:
        """Starts after a token, or exactly at the position of another stream (``progress``).

        ``on_page`` is called when a page advances the stream, even if it contains nothing to
        deliver.
        """
        self._account = account
        self._is_exact = progress is not None
        self._container = database_pb2.DatabaseID(
            container=account.settings.container, environment=account.database_id().environment
        )
        self._state = InboxState(progress or Progress(after), self._container)
        self._on_connection = on_connection
        self._on_page = on_page
        self._pushes: Subscriber | None = None
        self._push_endpoint = ""
        self._backoff = Backoff()
        self._pages = PageLimit()
        self._loss: str | None = None
        """Why the server is unreachable, as reported."""
        self._is_stopped = False
        self._loop = asyncio.get_running_loop()

    @property
    def progress(self) -> Progress:
        """The position after the last delivered notification."""
        return self._state.progress

    @property
    def change_token(self) -> bytes:
        """The token of the last complete page: a stream that starts here misses nothing.

        It may repeat the latest notifications: those of an incomplete page, and those that arrived
        by push.
        """
        return self._state.progress.token

    def __aiter__(self) -> NotificationStream:
        return self

    async def __anext__(self) -> Notification:
        while not self._is_stopped:
            notification = self._state.pop_ready()
            if notification is not None:
                return Notification.from_wire(notification)
            try:
                await self._perform()
            except (RPCError, ItemError) as error:
                if self._is_stopped:
                    break
                if not error.is_worth_repeating:
                    raise
                # A server that refuses an item can be reached.
                if isinstance(error, RPCError):
                    self._note_loss(error)
                await asyncio.sleep(self._backoff.next())
            else:
                self._backoff.reset()
        raise StopAsyncIteration

    def stop(self) -> None:
        """Ends the stream and wakes a task that waits for a push."""
        self._is_stopped = True
        if self._pushes is not None:
            self._pushes.close()

    async def aclose(self) -> None:
        """Ends the stream."""
        self.stop()

    async def __aenter__(self) -> NotificationStream:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __del__(self) -> None:
        # The garbage collector may run in any thread.
        pushes = getattr(self, "_pushes", None)
        if pushes is not None and not pushes.is_closed and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(pushes.close)

    async def _perform(self) -> None:
        match self._state.next_action:
            case Register():
                await self._account.connected(_PATIENCE)
                await self._register()
            case Listen(start, stop):
                self._listen(start, stop)
            case Fetch():
                await self._account.connected(_PATIENCE)
                await self._fetch()
            case Wait():
                await self._wait()

    async def _register(self) -> None:
        move_count = self._account.move_count
        response = await self._account.notifications.register_device(
            RegisterDeviceRequest(
                container=self._container.container, environment=self._container.environment
            )
        )
        if response.push_endpoint != self._push_endpoint:
            self._connect(response.push_endpoint)
            if self._pushes is not None and self._account.move_count != move_count:
                self._pushes.tick()
        self._state.registered(response)

    def _connect(self, endpoint: str) -> None:
        if self._pushes is not None:
            self._pushes.close()
        try:
            self._pushes = self._account.subscriber(endpoint)
        except (OSError, zmq.ZMQError, RPCError) as error:
            # Also if the process has no descriptors left for a moment.
            reason = error.message if isinstance(error, RPCError) else str(error)
            raise Unavailable(
                StatusCode.UNAVAILABLE,
                f"cannot connect to the push endpoint '{endpoint}': {reason}",
            ) from error
        self._push_endpoint = endpoint
        self._state.connection_replaced()

    def _listen(self, start: frozenset[bytes], stop: frozenset[bytes]) -> None:
        if self._pushes is not None:
            for topic in start:
                self._pushes.subscribe(topic)
            for topic in stop:
                self._pushes.unsubscribe(topic)
        self._state.listened()

    async def _fetch(self) -> None:
        token = self._state.token
        # Without a token there are no read marks: a first page of one notification is never fetched
        # again once part of it was delivered.
        asked = 1 if self._is_exact and not token else 0

        async def call(limit: int) -> FetchNotificationChangesResponse:
            return await self._account.notifications.fetch_notification_changes(
                FetchNotificationChangesRequest(
                    container=self._container.container,
                    environment=self._container.environment,
                    change_token=token,
                    limit=limit,
                )
            )

        with item_errors():
            page = await self._pages.page(asked, call, late_max(follow=True))
        self._state.fetched(page)
        if self._on_page is not None:
            self._on_page(self._state.progress)
        if self._loss is not None:
            self._loss = None
            if self._on_connection is not None:
                self._on_connection(None)

    async def _wait(self) -> None:
        event = None if self._pushes is None else await self._pushes.next()
        match event:
            case Published(topic, body):
                self._pushed(topic, body)
            case Disconnected():
                reason = f"the connection to {self._push_endpoint} was lost"
                self._note_loss(Unavailable(StatusCode.UNAVAILABLE, reason))
            case None:
                # The connection was lost, or the stream ended.
                self._push_endpoint = ""
                self._state.reconnected()
            case _:
                self._state.reconnected()

    def _pushed(self, topic: bytes, body: bytes) -> None:
        try:
            push = Push.FromString(body)
        except DecodeError:
            self._state.may_have_missed()
        else:
            self._state.pushed(topic, push)

    def _note_loss(self, error: RPCError) -> None:
        if self._loss != error.message:
            self._loss = error.message
            if self._on_connection is not None:
                self._on_connection(error)
