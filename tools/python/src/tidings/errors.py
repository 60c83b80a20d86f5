"""Errors of items: CloudKit's error codes as exceptions.

A call that fails as a whole raises :class:`~tidings.rpc.errors.RPCError`. If its details contain
the code of an item, it raises the exception for that code, with the call's error as its cause.
"""

from __future__ import annotations

from types import TracebackType
from typing import ClassVar

from tidings.records import Record
from tidings.rpc.errors import RPCError, TidingsError
from tidings.v1 import error_pb2


class ItemError(TidingsError):
    """An item failed. There are subclasses for the codes that programs usually handle."""

    _classes: ClassVar[dict[int, type[ItemError]]] = {}

    def __init__(self, wire: error_pb2.ItemError) -> None:
        super().__init__(wire.code, wire.message)
        self.code = int(wire.code)
        """``tidings.v1.ErrorCode``; the numbers are those of ``CKError.Code``."""
        self.message = wire.message
        self.retry_after: float | None = None
        """The delay in seconds before a retry; ``None``: a retry alone does not help."""
        if wire.HasField("retry_after"):
            self.retry_after = wire.retry_after.seconds + wire.retry_after.nanos / 1e9
        self.existing_subscription_id = wire.existing_subscription_id

    def __init_subclass__(cls, code: int | None = None) -> None:
        super().__init_subclass__()
        if code is not None:
            ItemError._classes[code] = cls

    def __str__(self) -> str:
        return f"{self.code_name}: {self.message}" if self.message else self.code_name

    @property
    def code_name(self) -> str:
        """For example ``UNKNOWN_ITEM``."""
        try:
            name: str = error_pb2.ErrorCode.Name(self.code)
        except ValueError:
            return f"CODE_{self.code}"
        return name.removeprefix("ERROR_CODE_")

    @property
    def is_worth_repeating(self) -> bool:
        """Whether a retry alone may succeed."""
        return self.retry_after is not None

    @classmethod
    def of(cls, wire: error_pb2.ItemError) -> ItemError:
        """Creates an error of the class for the code."""
        return cls._classes.get(int(wire.code), ItemError)(wire)


class PermissionFailure(ItemError, code=error_pb2.ERROR_CODE_PERMISSION_FAILURE):
    """The user may not do this."""


class UnknownItem(ItemError, code=error_pb2.ERROR_CODE_UNKNOWN_ITEM):
    """The item does not exist."""


class InvalidArguments(ItemError, code=error_pb2.ERROR_CODE_INVALID_ARGUMENTS):
    """A name, value, type, predicate or schema is invalid; the message contains the position."""


class ServerRecordChanged(ItemError, code=error_pb2.ERROR_CODE_SERVER_RECORD_CHANGED):
    """Another client changed the record: merge the changes into the server record, and save it."""

    server_record: Record | None = None
    """The stored record, unless the response would be too large."""
    ancestor_record: Record | None = None
    """The record as it was when it was fetched, if it is still available."""


class ServerRejectedRequest(ItemError, code=error_pb2.ERROR_CODE_SERVER_REJECTED_REQUEST):
    """The server rejected the request; ``existing_subscription_id`` names an equivalent one."""


class ChangeTokenExpired(ItemError, code=error_pb2.ERROR_CODE_CHANGE_TOKEN_EXPIRED):
    """Cached data cannot be updated: discard it, and start without a token."""


class BatchRequestFailed(ItemError, code=error_pb2.ERROR_CODE_BATCH_REQUEST_FAILED):
    """Another item of the same zone failed in an atomic call: fix that item, then retry all."""


class QuotaExceeded(ItemError, code=error_pb2.ERROR_CODE_QUOTA_EXCEEDED):
    """The storage quota is used up."""


class ZoneNotFound(ItemError, code=error_pb2.ERROR_CODE_ZONE_NOT_FOUND):
    """The zone does not exist: create it, then retry."""


class LimitExceeded(ItemError, code=error_pb2.ERROR_CODE_LIMIT_EXCEEDED):
    """Too many or too large items: split the call."""


class UserDeletedZone(ItemError, code=error_pb2.ERROR_CODE_USER_DELETED_ZONE):
    """The user deleted the application's data: ask before creating the zone again."""


class ReferenceViolation(ItemError, code=error_pb2.ERROR_CODE_REFERENCE_VIOLATION):
    """The target of a reference does not exist, or is still referenced."""


class AssetNotAvailable(ItemError, code=error_pb2.ERROR_CODE_ASSET_NOT_AVAILABLE):
    """The record contains an asset that is not in the database: upload it, then retry."""


class item_errors:
    """Raises the item's error if a call as a whole failed with the code of an item."""

    def __enter__(self) -> None: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, RPCError) and error.item_error is not None:
            raise ItemError.of(error.item_error) from error
