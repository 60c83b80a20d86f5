"""Why an inbox cannot go on.

What goes away by itself, a lost connection or a server that restarts, is tried again. An expired
position is :class:`tidings.errors.ChangeTokenExpired`: bring what you hold up to date from the
records, then ``restart()``.
"""

from __future__ import annotations

from tidings.rpc.errors import TidingsError


class InboxError(TidingsError):
    """An inbox cannot go on; the message says why and what to do."""


class PositionInUse(InboxError):
    """Another inbox, of this process or another, has the position file open."""


class PositionDamaged(InboxError):
    """The bytes or the file hold no position, or one that a newer version wrote."""


class PositionOfAnother(InboxError):
    """The position is of another user, container or environment than the client."""


class PositionNotKept(InboxError):
    """The file cannot be read or written."""


class NotHandedOut(InboxError):
    """The notification is from an earlier iteration, or from another inbox: it comes again."""


class InboxClosed(InboxError):
    """The inbox is closed."""
