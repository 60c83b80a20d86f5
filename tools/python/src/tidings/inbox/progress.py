"""Where a stream stands in the log, exact to the notification.

A change token, which moves by pages, and what was handed out beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidings.v1.notification_pb2 import NOTIFICATION_TYPE_READ_NOTIFICATION, Notification

BEYOND_MAX = 256
"""Beyond the token are at most so many channels, or so many read marks, until a look at the log
makes them one token."""


@dataclass(frozen=True)
class PageEnd:
    """The end of a page: when all of it is handed out, its token says more than what is in it."""

    token: bytes
    is_last: bool
    """The log ended with the page: whatever was heard of before is in it or in an earlier one."""
    channels: frozenset[str] = frozenset()
    """Of the notifications in it."""
    read_marks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Progress:
    """A place in the log."""

    token: bytes = b""
    """Everything up to here was handed out; empty: from the oldest notification that is kept."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """The newest number of each channel that was handed out beyond the token."""
    read_marks: frozenset[str] = frozenset()
    """The read marks that were handed out beyond the token."""

    @property
    def is_full(self) -> bool:
        """So much was handed out beyond the token that a look at the log is due."""
        return len(self.numbers) > BEYOND_MAX or len(self.read_marks) > BEYOND_MAX

    def handed_out(self, notification: Notification) -> Progress:
        """The place after a notification."""
        is_mark = notification.type == NOTIFICATION_TYPE_READ_NOTIFICATION
        if is_mark or not notification.HasField("position"):
            marks = self.read_marks | {notification.notification_id}
            return Progress(self.token, self.numbers, marks)
        position = notification.position
        numbers = {**self.numbers, position.channel_id: position.sequence_number}
        return Progress(self.token, numbers, self.read_marks)

    def ended(self, page: PageEnd) -> Progress:
        """The place after a page of which the rest was handed out."""
        if page.is_last:
            return Progress(page.token)
        numbers = {
            channel: number
            for channel, number in self.numbers.items()
            if channel not in page.channels
        }
        return Progress(page.token, numbers, self.read_marks - page.read_marks)
