"""A client of Tidings, a self-hosted backend for records and subscriptions.

::

    async with tidings.Client("tcp://127.0.0.1:5570", user="ada", device="laptop") as client:
        notes = client.database("private")
        await notes.save(tidings.Record("Notes", "n1", {"text": "Hello"}))

``tidings.sync`` has the same API for programs without an event loop. ``tidings.v1`` and
``tidings.rpc.v1`` contain the generated messages and the stubs of the services.
"""

from tidings._version import __version__
from tidings.client import Client
from tidings.database import Database, SavePolicy
from tidings.errors import (
    AssetNotAvailable,
    BatchRequestFailed,
    ChangeTokenExpired,
    InvalidArguments,
    ItemError,
    LimitExceeded,
    PermissionFailure,
    QuotaExceeded,
    ReferenceViolation,
    ServerRecordChanged,
    ServerRejectedRequest,
    UnknownItem,
    UserDeletedZone,
    ZoneNotFound,
)
from tidings.identifiers import RecordID, ZoneID
from tidings.inbox.inbox import Inbox, InboxNotification, InboxOptions
from tidings.inbox.position import InboxPosition
from tidings.modify_result import ModifyResult, PartialFailure
from tidings.notifications import Notification, NotificationReason, NotificationType
from tidings.records import Record
from tidings.rpc.errors import (
    Aborted,
    AlreadyExists,
    Cancelled,
    DataLoss,
    DeadlineExceeded,
    FailedPrecondition,
    Internal,
    InvalidArgument,
    NotFound,
    OutOfRange,
    PermissionDenied,
    ResourceExhausted,
    RPCError,
    TidingsError,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)
from tidings.rpc.keys import ClientKeys, KeyFileError, KeyPair
from tidings.rpc.options import CallOptions
from tidings.rpc.retry import RetryPolicy
from tidings.rpc.status import StatusCode
from tidings.settings import ClientSettings
from tidings.subscriptions import database_subscription, query_subscription, zone_subscription
from tidings.values import (
    Asset,
    Encrypted,
    Location,
    PreciseTime,
    Reference,
    ReferenceAction,
    Value,
)

__all__ = [
    "Aborted",
    "AlreadyExists",
    "Asset",
    "AssetNotAvailable",
    "BatchRequestFailed",
    "CallOptions",
    "Cancelled",
    "ChangeTokenExpired",
    "Client",
    "ClientKeys",
    "ClientSettings",
    "DataLoss",
    "Database",
    "DeadlineExceeded",
    "Encrypted",
    "FailedPrecondition",
    "Inbox",
    "InboxNotification",
    "InboxOptions",
    "InboxPosition",
    "Internal",
    "InvalidArgument",
    "InvalidArguments",
    "ItemError",
    "KeyFileError",
    "KeyPair",
    "LimitExceeded",
    "Location",
    "ModifyResult",
    "NotFound",
    "Notification",
    "NotificationReason",
    "NotificationType",
    "OutOfRange",
    "PartialFailure",
    "PermissionDenied",
    "PermissionFailure",
    "PreciseTime",
    "QuotaExceeded",
    "RPCError",
    "Record",
    "RecordID",
    "Reference",
    "ReferenceAction",
    "ReferenceViolation",
    "ResourceExhausted",
    "RetryPolicy",
    "SavePolicy",
    "ServerRecordChanged",
    "ServerRejectedRequest",
    "StatusCode",
    "TidingsError",
    "Unauthenticated",
    "Unavailable",
    "Unimplemented",
    "UnknownItem",
    "UserDeletedZone",
    "Value",
    "ZoneID",
    "ZoneNotFound",
    "__version__",
    "database_subscription",
    "query_subscription",
    "zone_subscription",
]
