"""The position of a stream in the log, exact to the notification.

A change token, which advances by pages, and what was delivered after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidings.v1.notification_pb2 import NOTIFICATION_TYPE_READ_NOTIFICATION, Notification

BEYOND_MAX = 256
"""Most channels, and most read marks, with deliveries after the token; above it the log is read,
which replaces them by a new token."""


@dataclass(frozen=True)
class PageEnd:
    """The end of a page: when all of it is delivered, its token replaces the numbers in it."""

    token: bytes
    is_last: bool
    """The log ended with the page: everything announced before is in it or in an earlier one."""
    channels: frozenset[str] = frozenset()
    """The channels of the notifications in it."""
    read_marks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Progress:
    """A position in the log."""

    token: bytes = b""
    """Everything up to here was delivered; empty: the start of the log."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """The newest number of each channel that was delivered after the token."""
    read_marks: frozenset[str] = frozenset()
    """The read marks that were delivered after the token."""

    @property
    def is_full(self) -> bool:
        """Whether so much was delivered after the token that the log must be read."""
        return len(self.numbers) > BEYOND_MAX or len(self.read_marks) > BEYOND_MAX

    def handed_out(self, notification: Notification) -> Progress:
        """The position after a notification."""
        is_mark = notification.type == NOTIFICATION_TYPE_READ_NOTIFICATION
        if is_mark or not notification.HasField("position"):
            marks = self.read_marks | {notification.notification_id}
            return Progress(self.token, self.numbers, marks)
        position = notification.position
        numbers = {**self.numbers, position.channel_id: position.sequence_number}
        return Progress(self.token, numbers, self.read_marks)

    def ended(self, page: PageEnd) -> Progress:
        """The position after a page that is completely delivered."""
        if page.is_last:
            return Progress(page.token)
        numbers = {
            channel: number
            for channel, number in self.numbers.items()
            if channel not in page.channels
        }
        return Progress(page.token, numbers, self.read_marks - page.read_marks)
