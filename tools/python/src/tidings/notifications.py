"""Notifications as Python objects."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime

from tidings.identifiers import SCOPES, RecordID, Scope, ZoneID
from tidings.v1 import notification_pb2 as wire
from tidings.values import Value, from_wire, timestamp_from_wire


class NotificationType(enum.IntEnum):
    """The type of a notification."""

    UNKNOWN = 0
    """A type that this version does not know."""
    QUERY = 1
    """A query subscription fired."""
    RECORD_ZONE = 2
    """A zone subscription fired."""
    READ_NOTIFICATION = 3
    """Another device of the user marked a notification as read."""
    DATABASE = 4
    """A database subscription fired."""

    @classmethod
    def _missing_(cls, value: object) -> NotificationType:
        return cls.UNKNOWN


class NotificationReason(enum.IntEnum):
    """Why a query subscription fired."""

    UNKNOWN = 0
    """No reason, or one that this version does not know."""
    RECORD_CREATED = 1
    RECORD_UPDATED = 2
    RECORD_DELETED = 3
    RECORD_ENTERED = 4
    """The record matches the predicate now, and did not before."""
    RECORD_LEFT = 5
    """The record matched the predicate before, and does not now."""

    @classmethod
    def _missing_(cls, value: object) -> NotificationReason:
        return cls.UNKNOWN


@dataclass(frozen=True)
class Notification:
    """A notification of a subscription.

    For ``READ_NOTIFICATION``, only the type and ``notification_id``, which identifies the
    notification that was read, are set.
    """

    notification_id: str
    type: NotificationType
    subscription_id: str = ""
    database: Scope | None = None
    reason: NotificationReason = NotificationReason.UNKNOWN
    """For query subscriptions."""
    record_id: RecordID | None = None
    """For query subscriptions: the record that changed."""
    zone: ZoneID | None = None
    """The zone that changed, or that of the record."""
    record_type: str = ""
    fields: dict[str, Value] = field(default_factory=dict)
    """The fields that the subscription's ``desired_keys`` name; none for a deletion."""
    omitted_keys: tuple[str, ...] = ()
    """Desired keys whose values are too large for a notification: fetch the record."""
    committed: datetime | None = None
    """When the change was committed, by the server's clock."""
    info: wire.NotificationInfo | None = None
    """The alert to display."""
    message: wire.Notification = field(default_factory=wire.Notification, repr=False, compare=False)
    """The protobuf message, with all other fields."""

    @property
    def record_name(self) -> str:
        """The name of the record; empty if the notification is not about a record."""
        return self.record_id.name if self.record_id else ""

    @classmethod
    def from_wire(cls, message: wire.Notification) -> Notification:
        """Decodes a notification."""
        names_record = bool(message.record_id.record_name)
        names_zone = message.HasField("record_id")
        return cls(
            notification_id=message.notification_id,
            type=NotificationType(message.type),
            subscription_id=message.subscription_id,
            database=_SCOPE_NAMES.get(message.database_id.scope),
            reason=NotificationReason(message.reason),
            record_id=RecordID.from_wire(message.record_id) if names_record else None,
            zone=ZoneID.from_wire(message.record_id.zone_id) if names_zone else None,
            record_type=message.record_type,
            fields={name: from_wire(value) for name, value in message.record_fields.items()},
            omitted_keys=tuple(message.omitted_keys),
            committed=(
                timestamp_from_wire(message.committed) if message.HasField("committed") else None
            ),
            info=message.notification_info if message.HasField("notification_info") else None,
            message=message,
        )


_SCOPE_NAMES = {number: name for name, number in SCOPES.items()}
