"""A user's notifications, for programs that wait: see :class:`tidings.inbox.inbox.Inbox`."""

from __future__ import annotations

from types import TracebackType

from tidings.inbox import inbox
from tidings.inbox.inbox import InboxNotification
from tidings.inbox.position import InboxPosition
from tidings.notifications import Notification
from tidings.sync.iteration import SyncIterator
from tidings.sync.loop import LoopThread


class Inbox:
    """The methods of :class:`tidings.inbox.inbox.Inbox`, which wait."""

    def __init__(self, loop: LoopThread, awaited: inbox.Inbox) -> None:
        self._loop = loop
        self._awaited = awaited

    def __iter__(self) -> SyncIterator[InboxNotification]:
        """Begins an iteration after what is committed; an earlier one ends."""
        return SyncIterator(self._loop, self._loop.call(lambda: aiter(self._awaited)))

    @property
    def position(self) -> InboxPosition:
        """The place after all that was handed out."""
        return self._awaited.position

    @property
    def committed_position(self) -> InboxPosition:
        """What is committed: where the next iteration begins."""
        return self._awaited.committed_position

    def commit(self, item: InboxNotification | None = None) -> None:
        """Notifications up to this one, or all that were handed out, are done."""
        self._loop.run(self._awaited.commit(item))

    def restart(self) -> None:
        """Begins with the oldest notification that is kept."""
        self._loop.run(self._awaited.restart())

    def mark_read(self, *notifications: InboxNotification | Notification | str) -> None:
        """Marks notifications read, for all devices of the user."""
        self._loop.run(self._awaited.mark_read(*notifications))

    def close(self) -> None:
        """Ends the iteration, which another thread may wait in, and gives the file free."""
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
