"""A user's notifications, redelivered until they are committed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType

from tidings.errors import ChangeTokenExpired, ItemError, item_errors
from tidings.inbox.account import Account
from tidings.inbox.errors import InboxClosed, InboxError, StaleNotification
from tidings.inbox.ledger import Ledger
from tidings.inbox.position import InboxPosition, PositionOwner
from tidings.inbox.position_file import PositionFile
from tidings.inbox.progress import Progress
from tidings.inbox.stream import NotificationStream
from tidings.notifications import Notification, NotificationType
from tidings.rpc.errors import RPCError
from tidings.v1.notification_service_pb2 import MarkNotificationsReadRequest


@dataclass(frozen=True)
class ConnectionLost:
    """The server has been unreachable for a second, or is for another reason than before.

    Connecting is retried with a backoff of up to 10 seconds.
    """

    error: RPCError


@dataclass(frozen=True)
class ConnectionRestored:
    """The server is reachable again; notifications since then are delivered now."""

    after: float
    """Seconds."""


@dataclass(frozen=True)
class Restarted:
    """The position had expired; the inbox restarted at the oldest retained notification."""

    error: ChangeTokenExpired


InboxEvent = ConnectionLost | ConnectionRestored | Restarted


@dataclass(frozen=True)
class InboxOptions:
    """What an inbox delivers, and when it restarts."""

    includes_read_notifications: bool = True
    """Whether to deliver READ_NOTIFICATION, when other devices of the user mark one as read."""
    restarts_when_expired: bool = False
    """Whether to restart at the oldest retained notification if the position has expired, instead
    of failing."""
    first_token: bytes = b""
    """Where an inbox without a position starts; empty: at the oldest retained notification."""
    on_event: Callable[[InboxEvent], None] | None = None
    """Called when the connection or the position changes its state; must not block."""


@dataclass(frozen=True)
class InboxNotification:
    """A notification, and the position after it."""

    notification: Notification
    position: InboxPosition
    """The position after this notification and all before it."""
    count: int
    """How many notifications the inbox has delivered, including this one."""


class Inbox:
    """A user's notifications, redelivered until they are committed.

    ::

        async with client.inbox("app.inbox") as inbox:
            async for item in inbox:
                await work_on(item.notification)
                await inbox.commit(item)

    An iteration starts after the committed position: first with notifications in the log, then with
    new ones. After a lost push, a lost connection or a restart of the server, the log is read.
    Notifications of a channel are in the order of their numbers; those from the log are in the
    order of their commits.

    Notifications that were not committed are redelivered after a crash; committed ones are not. A
    program that stores :attr:`InboxNotification.position` in the transaction of its work, and
    resumes there, processes each notification exactly once.

    The iteration only makes progress while its consumer waits: a slow consumer loses nothing and
    holds one page in memory. There is one iteration at a time: a new one ends the previous one.

    Raises ``ChangeTokenExpired``, :class:`~tidings.inbox.errors.InboxError`, and other
    ``ItemError`` and ``RPCError`` that retrying does not fix.
    """

    def __init__(
        self,
        account: Account,
        position: str | os.PathLike[str] | InboxPosition | None,
        options: InboxOptions,
    ) -> None:
        """See :meth:`tidings.client.Client.inbox`."""
        self._account = account
        self._options = options
        self._owner = _owner(account)
        self._file: PositionFile | None = None
        if position is not None and not isinstance(position, InboxPosition):
            self._file = PositionFile(position)
        try:
            stored = self._read(position)
        except BaseException:
            if self._file is not None:
                self._file.close()
            raise
        progress = Progress(options.first_token) if stored is None else stored.progress
        self._ledger = Ledger(progress)
        self._stream: NotificationStream | None = None
        self._is_closed = False
        self._writing = asyncio.Lock()
        self._stored = stored
        self._writes: set[asyncio.Task[None]] = set()

    def __aiter__(self) -> InboxIterator:
        """Starts an iteration after the committed position; ends an earlier one."""
        if self._stream is not None:
            self._stream.stop()
        number = self._ledger.begin()
        return InboxIterator(self, number)

    @property
    def position(self) -> InboxPosition:
        """The position after the last delivered notification."""
        return InboxPosition(self._owner, self._ledger.handed_out)

    @property
    def committed_position(self) -> InboxPosition:
        """The committed position, where the next iteration starts."""
        return InboxPosition(self._owner, self._ledger.committed)

    async def commit(self, item: InboxNotification | None = None) -> None:
        """Commits all notifications up to this one, or all that were delivered.

        With a position file, the commit is durable when this returns. Committing an earlier
        notification than before has no effect. Raises ``StaleNotification``, ``PositionFileError``,
        ``InboxClosed``.
        """
        if self._is_closed:
            raise InboxClosed("the inbox is closed: open another")
        if item is not None and item.position.owner != self._owner:
            raise StaleNotification("the notification belongs to another inbox")
        progress = self._ledger.handed_out if item is None else item.position.progress
        count = self._ledger.count if item is None else item.count
        if self._ledger.commit(progress, count):
            await self._store()

    async def restart(self) -> None:
        """Restarts at the oldest retained notification.

        For a position that has expired, or to process notifications again. Discards the committed
        position, also in the file, and ends the current iteration.
        """
        if self._stream is not None:
            self._stream.stop()
        self._ledger.restart()
        await self._store()

    async def mark_read(self, *notifications: InboxNotification | Notification | str) -> None:
        """Marks notifications read, for all devices of the user; raises ``ItemError``."""
        await mark_read(self._account, [_notification_id(one) for one in notifications])

    async def aclose(self) -> None:
        """Ends the iteration and releases the file.

        Notifications that were delivered and not committed are redelivered to the next inbox.
        """
        if self._is_closed:
            return
        self._is_closed = True
        if self._stream is not None:
            self._stream.stop()
        async with self._writing:
            if self._file is not None:
                self._file.close()

    async def __aenter__(self) -> Inbox:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    # For the iteration.

    def _begin_stream(self, number: int, progress: Progress) -> NotificationStream | None:
        """Creates the stream of an iteration, unless the iteration has ended."""
        if self._is_closed or self._ledger.iteration != number:
            return None
        self._stream = NotificationStream(
            self._account,
            progress=progress,
            on_connection=_Outage(self._options.on_event),
            on_page=lambda passed: self._advance(number, passed),
        )
        return self._stream

    def _hand_out(
        self, number: int, notification: Notification, progress: Progress
    ) -> InboxNotification | None:
        """Counts a notification as delivered; ``None`` if it is not wanted."""
        is_mark = notification.type is NotificationType.READ_NOTIFICATION
        is_wanted = not is_mark or self._options.includes_read_notifications
        if self._ledger.iteration != number:
            return None
        count = self._ledger.hand_out(progress, is_wanted=is_wanted)
        position = InboxPosition(self._owner, progress)
        return InboxNotification(notification, position, count) if is_wanted else None

    def _restart_stream(self, number: int, error: ChangeTokenExpired) -> NotificationStream | None:
        """Creates a stream from the start of the log, if the options allow it."""
        if not self._options.restarts_when_expired:
            raise error
        if self._options.on_event is not None:
            self._options.on_event(Restarted(error))
        return self._begin_stream(number, Progress())

    def _advance(self, number: int, progress: Progress) -> None:
        if self._ledger.iteration != number or self._is_closed:
            return
        if self._ledger.advance(progress) and self._file is not None:
            # If this fails nothing is lost: the next commit writes the position or raises the
            # error.
            task = asyncio.ensure_future(self._try_store())
            self._writes.add(task)
            task.add_done_callback(self._writes.discard)

    # The file.

    def _read(
        self, position: str | os.PathLike[str] | InboxPosition | None
    ) -> InboxPosition | None:
        if isinstance(position, InboxPosition):
            position.check(self._owner, "the position")
            return position
        stored = None if self._file is None else self._file.read()
        if stored is not None:
            stored.check(self._owner, f"the position file '{position!s}'")
        return stored

    async def _store(self) -> None:
        """Writes the committed position; writes are serialized."""
        async with self._writing:
            position = self.committed_position
            if self._file is None or self._is_closed or position == self._stored:
                return
            await _finished(asyncio.to_thread(self._file.write, position))
            self._stored = position

    async def _try_store(self) -> None:
        with suppress(InboxError):
            await self._store()


class InboxIterator:
    """One iteration over an inbox."""

    def __init__(self, inbox: Inbox, number: int) -> None:
        self._inbox = inbox
        self._number = number
        self._stream = inbox._begin_stream(number, inbox._ledger.committed)

    def __aiter__(self) -> InboxIterator:
        return self

    async def __anext__(self) -> InboxNotification:
        while self._stream is not None:
            try:
                notification = await self._stream.__anext__()
            except ChangeTokenExpired as error:
                self._stream = self._inbox._restart_stream(self._number, error)
                continue
            item = self._inbox._hand_out(self._number, notification, self._stream.progress)
            if item is not None:
                return item
        raise StopAsyncIteration


async def mark_read(account: Account, notification_ids: Iterable[str]) -> None:
    """Marks notifications read, for all devices of the user; raises ``ItemError``."""
    request = MarkNotificationsReadRequest(
        container=account.settings.container,
        environment=account.database_id().environment,
        notification_ids=notification_ids,
    )
    with item_errors():
        response = await account.notifications.mark_notifications_read(request)
    for result in response.results:
        if result.WhichOneof("outcome") == "error":
            raise ItemError.of(result.error)


async def _finished(work: Coroutine[None, None, None]) -> None:
    """Waits for work that must not be interrupted; a cancelled task also waits for its end."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise


class _Outage:
    """Measures how long the server was unreachable."""

    def __init__(self, on_event: Callable[[InboxEvent], None] | None) -> None:
        self._on_event = on_event
        self._loop = asyncio.get_running_loop()
        self._start: float | None = None

    def __call__(self, error: RPCError | None) -> None:
        if self._start is None:
            self._start = self._loop.time()
        event: InboxEvent
        if error is not None:
            event = ConnectionLost(error)
        else:
            event = ConnectionRestored(self._loop.time() - self._start)
            self._start = None
        if self._on_event is not None:
            self._on_event(event)


def _owner(account: Account) -> PositionOwner:
    settings = account.settings
    environment = int(account.database_id().environment)
    return PositionOwner(settings.user, settings.container or "default", environment)


def _notification_id(notification: InboxNotification | Notification | str) -> str:
    if isinstance(notification, InboxNotification):
        return notification.notification.notification_id
    if isinstance(notification, Notification):
        return notification.notification_id
    return notification
