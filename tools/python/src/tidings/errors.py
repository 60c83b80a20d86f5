"""Why items of a call failed: CloudKit's codes as exceptions.

A call that fails as a whole raises :class:`~tidings.rpc.errors.RPCError`; one whose details name a
code of an item raises the exception of that code here, with the call's error as its cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from tidings.records import Record
from tidings.rpc.errors import RPCError, TidingsError
from tidings.v1 import error_pb2


class ItemError(TidingsError):
    """An item failed: there are subclasses for the codes that programs treat in different ways."""

    _classes: ClassVar[dict[int, type[ItemError]]] = {}

    def __init__(self, wire: error_pb2.ItemError) -> None:
        super().__init__(wire.code, wire.message)
        self.code = int(wire.code)
        """``tidings.v1.ErrorCode``; the numbers are those of ``CKError.Code``."""
        self.message = wire.message
        self.retry_after: float | None = None
        """Seconds to wait before repeating; ``None``: repeating alone does not help."""
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

    @classmethod
    def of(cls, wire: error_pb2.ItemError) -> ItemError:
        """Makes the error of the class that stands for the code."""
        return cls._classes.get(int(wire.code), ItemError)(wire)


class PermissionFailure(ItemError, code=error_pb2.ERROR_CODE_PERMISSION_FAILURE):
    """The user may not do this."""


class UnknownItem(ItemError, code=error_pb2.ERROR_CODE_UNKNOWN_ITEM):
    """The item does not exist."""


class InvalidArguments(ItemError, code=error_pb2.ERROR_CODE_INVALID_ARGUMENTS):
    """A name, value, type, predicate or schema is wrong; the message says where."""


class ServerRecordChanged(ItemError, code=error_pb2.ERROR_CODE_SERVER_RECORD_CHANGED):
    """Somebody else saved the record: merge into the server's, and save that."""

    server_record: Record | None = None
    """The record as stored, unless the answer would have grown too large."""
    ancestor_record: Record | None = None
    """The record as it was when it was fetched, where still known."""


class ServerRejectedRequest(ItemError, code=error_pb2.ERROR_CODE_SERVER_REJECTED_REQUEST):
    """Understood and refused; ``existing_subscription_id`` may name the equivalent one."""


class ChangeTokenExpired(ItemError, code=error_pb2.ERROR_CODE_CHANGE_TOKEN_EXPIRED):
    """What is cached cannot be brought up to date: drop it, and begin without a token."""


class BatchRequestFailed(ItemError, code=error_pb2.ERROR_CODE_BATCH_REQUEST_FAILED):
    """Another item of the same zone failed in an atomic call: mend that one, send all again."""


class QuotaExceeded(ItemError, code=error_pb2.ERROR_CODE_QUOTA_EXCEEDED):
    """There is no room left."""


class ZoneNotFound(ItemError, code=error_pb2.ERROR_CODE_ZONE_NOT_FOUND):
    """The zone does not exist: create it, then repeat."""


class LimitExceeded(ItemError, code=error_pb2.ERROR_CODE_LIMIT_EXCEEDED):
    """Too many or too large items: split the call."""


class UserDeletedZone(ItemError, code=error_pb2.ERROR_CODE_USER_DELETED_ZONE):
    """The user removed the data of the application: do not create the zone again unasked."""


class ReferenceViolation(ItemError, code=error_pb2.ERROR_CODE_REFERENCE_VIOLATION):
    """The target of a reference is missing, or still referred to."""


class AssetNotAvailable(ItemError, code=error_pb2.ERROR_CODE_ASSET_NOT_AVAILABLE):
    """The record names an asset that is not in its database: upload it, save again."""


@contextmanager
def item_errors() -> Iterator[None]:
    """Raises the item's error where a call as a whole failed for an item's reason."""
    try:
        yield
    except RPCError as error:
        item = error.item_error
        if item is None:
            raise
        raise ItemError.of(item) from error
