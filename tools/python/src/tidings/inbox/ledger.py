"""What an inbox has delivered and committed; a value."""

from __future__ import annotations

from tidings.inbox.errors import StaleNotification
from tidings.inbox.progress import Progress


class Ledger:
    """Counts the notifications of an inbox, across its iterations."""

    def __init__(self, progress: Progress) -> None:
        self.committed = progress
        """Where the next iteration starts."""
        self.handed_out = progress
        """The position after the last delivered notification."""
        self.count = 0
        """How many notifications were delivered."""
        self.iteration = 0
        """The first count of the current iteration; lower counts belong to earlier ones."""
        self._committed_count = 0

    def begin(self) -> int:
        """Starts an iteration after the committed position; returns its number."""
        self.count += 1
        self._committed_count = self.iteration = self.count
        self.handed_out = self.committed
        return self.iteration

    def restart(self) -> None:
        """Discards the committed position and ends the current iteration."""
        self.committed = Progress()
        self.begin()

    def hand_out(self, progress: Progress, *, is_wanted: bool) -> int:
        """Delivers a notification; returns its count. An unwanted one only moves the position."""
        if not is_wanted:
            self.advance(progress)
            return 0
        self.count += 1
        self.handed_out = progress
        return self.count

    def advance(self, progress: Progress) -> bool:
        """Records the position of the stream; returns whether that commits anything.

        If all delivered notifications are committed, so is this position: notifications that are
        not for this device need no work, and a position that is not advanced would expire.
        """
        self.handed_out = progress
        if self._committed_count != self.count or self.committed == progress:
            return False
        self.committed = progress
        return True

    def commit(self, progress: Progress, count: int) -> bool:
        """Commits what was delivered up to a count; returns whether that changes anything.

        Raises ``StaleNotification`` for a count of another iteration.
        """
        if not self.iteration <= count <= self.count:
            raise StaleNotification(
                "the notification belongs to an earlier iteration of the inbox: wait until it is "
                "redelivered, then commit that one"
            )
        if count < self._committed_count:
            return False
        self._committed_count = count
        self.committed = progress
        return True
