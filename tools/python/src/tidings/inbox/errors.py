"""Permanent failures of an inbox.

Temporary failures, such as a lost connection or a server that restarts, are retried. An expired
position raises :class:`tidings.errors.ChangeTokenExpired`: update local data from the records, then
call ``restart()``.
"""

from __future__ import annotations

from tidings.rpc.errors import TidingsError


class InboxError(TidingsError):
    """An inbox failed permanently; the message contains the reason and what to do."""


class PositionInUse(InboxError):
    """The position file is open in another inbox, of this or another process."""


class PositionDamaged(InboxError):
    """The bytes or the file are not a position, or were written by a newer version."""


class PositionOwnerMismatch(InboxError):
    """The position belongs to another user, container or environment."""


class PositionFileError(InboxError):
    """The position file cannot be read or written."""


class StaleNotification(InboxError):
    """The notification is from an earlier iteration or from another inbox; it is redelivered."""


class InboxClosed(InboxError):
    """The inbox is closed."""
