"""A user's notifications, each until its work is committed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType

from tidings.errors import ChangeTokenExpired, ItemError, item_errors
from tidings.inbox.account import Account
from tidings.inbox.errors import InboxClosed, InboxError, NotHandedOut
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
    """The server cannot be reached; it is tried again, with pauses that grow to 10 seconds."""

    error: RPCError


@dataclass(frozen=True)
class ConnectionRestored:
    """It is there again; nothing was missed: what came meanwhile is handed out now."""

    after: float
    """Seconds."""


@dataclass(frozen=True)
class Restarted:
    """The position had expired, and the inbox began with the oldest notification that is kept."""

    error: ChangeTokenExpired


InboxEvent = ConnectionLost | ConnectionRestored | Restarted


@dataclass(frozen=True)
class InboxOptions:
    """What an inbox hands out, and when it begins anew."""

    includes_read_notifications: bool = True
    """Hands out READ_NOTIFICATION too, for what other devices of the user marked read."""
    restarts_when_expired: bool = False
    """Begins with the oldest notification that is kept when the position has expired, instead of
    failing."""
    first_token: bytes = b""
    """Where an inbox without a position begins; empty: the oldest notification that is kept."""
    on_event: Callable[[InboxEvent], None] | None = None
    """Hears what becomes of the connection and of the position; must not wait."""


@dataclass(frozen=True)
class InboxNotification:
    """A notification, and the place after it."""

    notification: Notification
    position: InboxPosition
    """An inbox that begins here has handed out this one and all before it."""
    count: int
    """How many its inbox has handed out, this one included."""


class Inbox:
    """A user's notifications, each until its work is committed.

    ::

        async with client.inbox("app.inbox") as inbox:
            async for item in inbox:
                await work_on(item.notification)
                await inbox.commit(item)

    An iteration begins after what was committed: first what waits in the log, then what comes. A
    lost push, a lost connection and a restarted server are made up for from the log. Within a
    channel the order is that of the numbers; what comes from the log has the order in which it was
    committed there.

    What was not committed comes again after a crash, what was committed does not. A program that
    stores :attr:`InboxNotification.position` in the transaction of its work, and begins there,
    works on each notification exactly once.

    The iteration works only while its consumer waits: a slow one loses nothing, holds one page in
    memory, and hinders nobody. One iteration at a time: a new one ends the one before.

    Raises ``ChangeTokenExpired``, :class:`~tidings.inbox.errors.InboxError` and ``RPCError`` for
    what trying again does not mend.
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
        self._kept = stored
        self._writes: set[asyncio.Task[None]] = set()

    def __aiter__(self) -> InboxIterator:
        """Begins an iteration after what is committed; an earlier one ends."""
        if self._stream is not None:
            self._stream.stop()
        number = self._ledger.begin()
        return InboxIterator(self, number)

    @property
    def position(self) -> InboxPosition:
        """The place after all that was handed out."""
        return InboxPosition(self._owner, self._ledger.handed_out)

    @property
    def committed_position(self) -> InboxPosition:
        """What is committed: where the next iteration begins."""
        return InboxPosition(self._owner, self._ledger.committed)

    async def commit(self, item: InboxNotification | None = None) -> None:
        """Notifications up to this one, or all that were handed out, are done.

        With a file, it is on the disk when this returns. Committing an earlier one than before
        changes nothing. Raises ``NotHandedOut``, ``PositionNotKept``, ``InboxClosed``.
        """
        if self._is_closed:
            raise InboxClosed("the inbox is closed: make another")
        if item is not None and item.position.owner != self._owner:
            raise NotHandedOut("the notification is of another inbox")
        progress = self._ledger.handed_out if item is None else item.position.progress
        count = self._ledger.count if item is None else item.count
        if self._ledger.commit(progress, count):
            await self._keep()

    async def restart(self) -> None:
        """Begins with the oldest notification that is kept.

        For a position that has expired, or to do again what was done. What is committed is
        forgotten, in the file too; the iteration at hand ends.
        """
        if self._stream is not None:
            self._stream.stop()
        self._ledger.restart()
        await self._keep()

    async def mark_read(self, *notifications: InboxNotification | Notification | str) -> None:
        """Marks notifications read, for all devices of the user; raises ``ItemError``."""
        await mark_read(self._account, [_notification_id(one) for one in notifications])

    async def aclose(self) -> None:
        """Ends the iteration and gives the file free.

        What was handed out and not committed comes again to the next inbox.
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
        """A stream for an iteration, unless it is over already."""
        if self._is_closed or self._ledger.iteration != number:
            return None
        self._stream = NotificationStream(
            self._account,
            progress=progress,
            on_connection=_Outage(self._options.on_event),
            on_page=lambda passed: self._passed_page(number, passed),
        )
        return self._stream

    def _hand_out(
        self, number: int, notification: Notification, progress: Progress
    ) -> InboxNotification | None:
        """Notes that a notification goes out; ``None``: it is not wanted."""
        is_mark = notification.type is NotificationType.READ_NOTIFICATION
        is_wanted = not is_mark or self._options.includes_read_notifications
        if self._ledger.iteration != number:
            return None
        count = self._ledger.hand_out(progress, is_wanted=is_wanted)
        position = InboxPosition(self._owner, progress)
        return InboxNotification(notification, position, count) if is_wanted else None

    def _begin_anew(self, number: int, error: ChangeTokenExpired) -> NotificationStream | None:
        """A stream from the beginning of the log, if that is wanted for an expired position."""
        if not self._options.restarts_when_expired:
            raise error
        if self._options.on_event is not None:
            self._options.on_event(Restarted(error))
        return self._begin_stream(number, Progress())

    def _passed_page(self, number: int, progress: Progress) -> None:
        if self._ledger.iteration != number or self._is_closed:
            return
        if self._ledger.passed(progress) and self._file is not None:
            # If this fails nothing is lost: the next commit writes, and tells.
            task = asyncio.ensure_future(self._keep_quietly())
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

    async def _keep(self) -> None:
        """Writes what is committed by now, one write after the other."""
        async with self._writing:
            position = self.committed_position
            if self._file is None or self._is_closed or position == self._kept:
                return
            await _finished(asyncio.to_thread(self._file.write, position))
            self._kept = position

    async def _keep_quietly(self) -> None:
        with suppress(InboxError):
            await self._keep()


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
                self._stream = self._inbox._begin_anew(self._number, error)
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
    """Waits for work that nobody can give up half-way: a cancelled task waits for its end too."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise


class _Outage:
    """How long the server could not be reached."""

    def __init__(self, on_event: Callable[[InboxEvent], None] | None) -> None:
        self._on_event = on_event
        self._loop = asyncio.get_running_loop()
        self._began = 0.0

    def __call__(self, error: RPCError | None) -> None:
        if error is not None:
            self._began = self._loop.time()
        if self._on_event is None:
            return
        if error is not None:
            self._on_event(ConnectionLost(error))
        else:
            self._on_event(ConnectionRestored(self._loop.time() - self._began))


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
