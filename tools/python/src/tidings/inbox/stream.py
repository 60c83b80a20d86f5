"""A user's notifications, from the log and then as they come: the shell around ``InboxState``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

from google.protobuf.message import DecodeError

from tidings.errors import item_errors
from tidings.inbox.account import Account
from tidings.inbox.progress import Progress
from tidings.inbox.state import Fetch, InboxState, Listen, Register, Wait
from tidings.notifications import Notification
from tidings.rpc.errors import RPCError, Unavailable
from tidings.rpc.retry import Backoff
from tidings.rpc.status import StatusCode
from tidings.rpc.subscriber import Disconnected, Published, Subscriber
from tidings.v1 import database_pb2
from tidings.v1.notification_pb2 import Push
from tidings.v1.notification_service_pb2 import (
    FetchNotificationChangesRequest,
    RegisterDeviceRequest,
)

ConnectionListener = Callable[[RPCError | None], None]
"""Hears when the server cannot be reached any more, with the reason, and when it can again
(``None``); must not wait."""


class NotificationStream:
    """A user's notifications, from the log and then as they come: ``async for``, by one task.

    The iteration works only while its consumer waits: one that is slow hears fewer pushes, takes
    more from the log instead, and loses nothing. Leave it with ``async with`` or :meth:`aclose`.

    Raises what repeating does not mend: ``ChangeTokenExpired``, and ``RPCError``.
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
        """Begins after a token, or exactly where another stream stood (``progress``).

        ``on_page`` hears of pages that moved the stream, though nothing may have been handed out.
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
        self._is_lost = False
        self._is_stopped = False
        self._loop = asyncio.get_running_loop()

    @property
    def progress(self) -> Progress:
        """Where to continue exactly after what was handed out."""
        return self._state.progress

    @property
    def change_token(self) -> bytes:
        """Where to continue: a stream that begins here misses nothing.

        It may repeat some of the last notifications: those of a page that was not taken to its end,
        and those that were pushed.
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
            except RPCError as error:
                if self._is_stopped:
                    break
                if not error.is_worth_repeating:
                    raise
                self._note_loss(error)
                await asyncio.sleep(self._backoff.next())
            else:
                self._backoff.reset()
        raise StopAsyncIteration

    def stop(self) -> None:
        """Ends the stream; a task that waits for a push is woken."""
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
        # The collector may run in any thread.
        pushes = getattr(self, "_pushes", None)
        if pushes is not None and not pushes.is_closed and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(pushes.close)

    async def _perform(self) -> None:
        match self._state.next_action:
            case Register():
                await self._register()
            case Listen(start, stop):
                self._listen(start, stop)
            case Fetch():
                await self._fetch()
            case Wait():
                await self._wait()

    async def _register(self) -> None:
        response = await self._account.notifications.register_device(
            RegisterDeviceRequest(
                container=self._container.container, environment=self._container.environment
            )
        )
        if response.push_endpoint != self._push_endpoint:
            self._connect(response.push_endpoint)
        self._state.registered(response)

    def _connect(self, endpoint: str) -> None:
        if self._pushes is not None:
            self._pushes.close()
        try:
            self._pushes = self._account.subscriber(endpoint)
        except RPCError as error:
            raise Unavailable(
                StatusCode.UNAVAILABLE,
                f"cannot listen to the push endpoint '{endpoint}': {error.message}",
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
        # again once something of it was handed out.
        limit = 1 if self._is_exact and not token else 0
        with item_errors():
            page = await self._account.notifications.fetch_notification_changes(
                FetchNotificationChangesRequest(
                    container=self._container.container,
                    environment=self._container.environment,
                    change_token=token,
                    limit=limit,
                )
            )
        self._state.fetched(page)
        if self._on_page is not None:
            self._on_page(self._state.progress)
        if self._is_lost:
            self._is_lost = False
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
                # The connection ended by itself, or with the stream.
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
        if not self._is_lost:
            self._is_lost = True
            if self._on_connection is not None:
                self._on_connection(error)
