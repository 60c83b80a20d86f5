"""A blocking inbox: see :class:`tidings.inbox.inbox.Inbox`."""

from __future__ import annotations

from types import TracebackType

from tidings.inbox import inbox
from tidings.inbox.inbox import InboxNotification
from tidings.inbox.position import InboxPosition
from tidings.notifications import Notification
from tidings.sync.iteration import SyncIterator
from tidings.sync.loop import LoopThread


class Inbox:
    """The blocking equivalent of :class:`tidings.inbox.inbox.Inbox`."""

    def __init__(self, loop: LoopThread, awaited: inbox.Inbox) -> None:
        self._loop = loop
        self._awaited = awaited

    def __iter__(self) -> SyncIterator[InboxNotification]:
        """Starts an iteration after the committed position; ends an earlier one."""
        return SyncIterator(self._loop, self._loop.call(lambda: aiter(self._awaited)))

    @property
    def position(self) -> InboxPosition:
        """The position after the last delivered notification."""
        return self._awaited.position

    @property
    def committed_position(self) -> InboxPosition:
        """The committed position, where the next iteration starts."""
        return self._awaited.committed_position

    def commit(self, item: InboxNotification | None = None) -> None:
        """Commits all notifications up to this one, or all that were delivered."""
        self._loop.run(self._awaited.commit(item))

    def restart(self) -> None:
        """Restarts at the oldest retained notification."""
        self._loop.run(self._awaited.restart())

    def mark_read(self, *notifications: InboxNotification | Notification | str) -> None:
        """Marks notifications read, for all devices of the user."""
        self._loop.run(self._awaited.mark_read(*notifications))

    def close(self) -> None:
        """Ends the iteration, even if another thread waits in it, and releases the file."""
        self._loop.run(self._awaited.aclose())

    def __enter__(self) -> Inbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
