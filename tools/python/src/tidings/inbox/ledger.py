"""What an inbox handed out and what of it is committed; a value."""

from __future__ import annotations

from tidings.inbox.errors import NotHandedOut
from tidings.inbox.progress import Progress


class Ledger:
    """Counts the notifications of an inbox over all its iterations."""

    def __init__(self, progress: Progress) -> None:
        self.committed = progress
        """Where the next iteration begins."""
        self.handed_out = progress
        """The place after all that was handed out."""
        self.count = 0
        """How many were handed out."""
        self.iteration = 0
        """The first count of the iteration at hand: earlier ones are over."""
        self._committed_count = 0

    def begin(self) -> int:
        """An iteration begins after what is committed; returns its number."""
        self.count += 1
        self._committed_count = self.iteration = self.count
        self.handed_out = self.committed
        return self.iteration

    def restart(self) -> None:
        """What is committed is forgotten, and the iteration at hand is over."""
        self.committed = Progress()
        self.begin()

    def hand_out(self, progress: Progress, *, is_wanted: bool) -> int:
        """A notification goes out; returns its count. An unwanted one only moves the place."""
        if not is_wanted:
            self.passed(progress)
            return 0
        self.count += 1
        self.handed_out = progress
        return self.count

    def passed(self, progress: Progress) -> bool:
        """The stream stands here now; returns whether that commits anything.

        When all that it gave is committed, this is too: what a page holds that is not for this
        device needs no work, and a position that stays behind would expire.
        """
        self.handed_out = progress
        if self._committed_count != self.count or self.committed == progress:
            return False
        self.committed = progress
        return True

    def commit(self, progress: Progress, count: int) -> bool:
        """What was handed out so far is done; returns whether that is news.

        Raises ``NotHandedOut`` for a count of another iteration.
        """
        if not self.iteration <= count <= self.count:
            raise NotHandedOut(
                "the notification is not of this inbox's iteration at hand: it was handed out "
                "before the inbox began anew, and comes again"
            )
        if count < self._committed_count:
            return False
        self._committed_count = count
        self.committed = progress
        return True
