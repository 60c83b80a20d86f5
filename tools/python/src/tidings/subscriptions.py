"""Subscriptions: which changes to which records cause notifications."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from tidings.identifiers import ZoneID
from tidings.predicates import predicate
from tidings.v1.notification_pb2 import (
    SUBSCRIPTION_TYPE_DATABASE,
    SUBSCRIPTION_TYPE_QUERY,
    SUBSCRIPTION_TYPE_RECORD_ZONE,
    NotificationInfo,
    Subscription,
)
from tidings.values import Value

Change = Literal["create", "update", "delete", "enter", "leave"]


def query_subscription(
    subscription_id: str,
    record_type: str,
    where: str = "",
    *arguments: Value,
    on: Iterable[Change] = ("create", "update", "delete"),
    zone: ZoneID | str | None = None,
    once: bool = False,
    info: NotificationInfo | None = None,
) -> Subscription:
    """Fires for each record of a type that changes and matches.

    ``on`` selects the changes: created, updated, deleted, started or stopped matching the
    predicate. Without a zone, it applies to all zones; with ``once`` it is deleted after it has
    fired.
    """
    changes = set(on)
    return Subscription(
        subscription_id=subscription_id,
        type=SUBSCRIPTION_TYPE_QUERY,
        record_type=record_type,
        predicate=predicate(where, *arguments) if where else None,
        zone_id=None if zone is None else ZoneID.of(zone).to_wire(),
        fires_on_record_creation="create" in changes,
        fires_on_record_update="update" in changes,
        fires_on_record_deletion="delete" in changes,
        fires_on_record_enter="enter" in changes,
        fires_on_record_leave="leave" in changes,
        fires_once=once,
        notification_info=info,
    )


def zone_subscription(
    subscription_id: str,
    zone: ZoneID | str | None = None,
    *,
    record_type: str = "",
    info: NotificationInfo | None = None,
) -> Subscription:
    """Fires once for each call that changes something in a zone, or records of a type in it."""
    return Subscription(
        subscription_id=subscription_id,
        type=SUBSCRIPTION_TYPE_RECORD_ZONE,
        record_type=record_type,
        zone_id=ZoneID.of(zone).to_wire(),
        notification_info=info,
    )


def database_subscription(
    subscription_id: str, *, record_type: str = "", info: NotificationInfo | None = None
) -> Subscription:
    """Fires once for each zone of the database that a call changes."""
    return Subscription(
        subscription_id=subscription_id,
        type=SUBSCRIPTION_TYPE_DATABASE,
        record_type=record_type,
        notification_info=info,
    )
