"""The errors of failed calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, TypeVar

from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError, Message

from tidings.rpc.status import StatusCode
from tidings.rpc.v1.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from tidings.v1.error_pb2 import ItemError as ItemErrorMessage

_Detail = TypeVar("_Detail", bound=Message)

_RETRY_SECONDS_MAX = 86_400
"""Longer delays are treated as one day."""


class TidingsError(Exception):
    """The base class of all errors of this package."""


class RPCError(TidingsError):
    """A failed call; there is a subclass for each status code.

    ``code`` is the status code and never OK, ``message`` the reason for people, ``details`` the
    encoded error details for programs; ``metadata`` is that of the response.
    """

    _classes: ClassVar[dict[StatusCode, type[RPCError]]] = {}

    def __init__(
        self,
        code: StatusCode,
        message: str = "",
        details: Sequence[Any] = (),
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        # Not the initializer of OSError, which would interpret the code as an errno.
        Exception.__init__(self, code, message)
        self.code = code
        self.message = message
        self.details = tuple(details)
        self.metadata = dict(metadata or {})

    def __init_subclass__(cls, status: StatusCode | None = None) -> None:
        super().__init_subclass__()
        if status is not None:
            RPCError._classes[status] = cls

    def __str__(self) -> str:
        return f"{self.code.name}: {self.message}" if self.message else self.code.name

    @classmethod
    def of(
        cls,
        code: StatusCode,
        message: str = "",
        details: Sequence[Any] = (),
        metadata: Mapping[str, str] | None = None,
    ) -> RPCError:
        """Creates an error of the class for the status code."""
        return cls._classes.get(code, RPCError)(code, message, details, metadata)

    def copied(self) -> RPCError:
        """Copies the error for another caller: a raised exception stores its traceback."""
        return type(self)(self.code, self.message, self.details, self.metadata)

    def after_unknown_outcome(self) -> RPCError:
        """Copies the error of the last attempt when the outcome of an earlier one is unknown."""
        if self.has_unknown_outcome:
            return self.copied()
        # Its own reason says what became of the last attempt only.
        details = [
            one
            for one in self.details
            if one.type_url.rpartition("/")[2] != ErrorInfo.DESCRIPTOR.full_name
        ]
        return type(self)(
            self.code,
            f"{self.message}; whether an earlier attempt took effect is unknown",
            [*details, error_info("OUTCOME_UNKNOWN")],
            self.metadata,
        )

    @property
    def has_unknown_outcome(self) -> bool:
        """Whether it is not known if the call took effect."""
        info = self.error_info
        return info is not None and info.reason == "OUTCOME_UNKNOWN"

    @property
    def is_frame_too_large(self) -> bool:
        """Whether the request or the answer is larger than a frame may be."""
        info = self.error_info
        return info is not None and info.reason == "FRAME_TOO_LARGE"

    @property
    def error_info(self) -> ErrorInfo | None:
        """The stable reason, if the server sent one."""
        return next(self._decoded(ErrorInfo), None)

    @property
    def bad_request(self) -> BadRequest | None:
        """The invalid parts of the request, if the server sent them."""
        return next(self._decoded(BadRequest), None)

    @property
    def item_error(self) -> ItemErrorMessage | None:
        """The CloudKit error, if the call as a whole failed with one."""
        return next(self._decoded(ItemErrorMessage), None)

    @property
    def retry_after(self) -> float | None:
        """The delay in seconds that the server requests before a retry, if any."""
        for info in self._decoded(RetryInfo):
            seconds = info.retry_delay.seconds + info.retry_delay.nanos / 1e9
            if 0 <= seconds <= _RETRY_SECONDS_MAX:
                return seconds
        return None

    @property
    def is_worth_repeating(self) -> bool:
        """Whether a retry may succeed."""
        return self.code in (
            StatusCode.UNAVAILABLE,
            StatusCode.DEADLINE_EXCEEDED,
            StatusCode.RESOURCE_EXHAUSTED,
            StatusCode.ABORTED,
        )

    @property
    def is_draining(self) -> bool:
        """Whether the server takes no calls for now, and did not begin this one: another may."""
        if self.code is not StatusCode.UNAVAILABLE:
            return False
        info = self.error_info
        return info is not None and info.reason in ("DRAINING", "NO_LEADER")

    def _decoded(self, kind: type[_Detail]) -> Iterator[_Detail]:
        """The details of a type; ignores details that cannot be decoded."""
        for detail in self.details:
            if detail.type_url.rpartition("/")[2] == kind.DESCRIPTOR.full_name:
                try:
                    yield kind.FromString(detail.value)
                except DecodeError:
                    continue


class Cancelled(RPCError, status=StatusCode.CANCELLED):
    """The call was cancelled: by ``close``, or because a stream had no credit for 60 s.

    A cancelled task gets :class:`asyncio.CancelledError` as usual.
    """


class InvalidArgument(RPCError, status=StatusCode.INVALID_ARGUMENT):
    """The request is invalid: fix it."""


class DeadlineExceeded(RPCError, TimeoutError, status=StatusCode.DEADLINE_EXCEEDED):
    """The deadline passed; it is unknown whether a write took effect."""


class NotFound(RPCError, status=StatusCode.NOT_FOUND):
    """Something that the call requires does not exist."""


class AlreadyExists(RPCError, status=StatusCode.ALREADY_EXISTS):
    """The item to create already exists."""


class PermissionDenied(RPCError, status=StatusCode.PERMISSION_DENIED):
    """The caller may not do this."""


class ResourceExhausted(RPCError, status=StatusCode.RESOURCE_EXHAUSTED):
    """A limit is exceeded: split the call, or wait for ``retry_after``."""


class FailedPrecondition(RPCError, status=StatusCode.FAILED_PRECONDITION):
    """The server is not in the required state."""


class Aborted(RPCError, status=StatusCode.ABORTED):
    """A conflict with another call: read again, then retry."""


class OutOfRange(RPCError, status=StatusCode.OUT_OF_RANGE):
    """A range or token beyond the available data."""


class Unimplemented(RPCError, status=StatusCode.UNIMPLEMENTED):
    """The server does not have the method."""


class Internal(RPCError, status=StatusCode.INTERNAL):
    """A defect: report it."""


class Unavailable(RPCError, ConnectionError, status=StatusCode.UNAVAILABLE):
    """No connection, or the server is temporarily unavailable: retry."""


class DataLoss(RPCError, status=StatusCode.DATA_LOSS):
    """Data is lost or damaged."""


class Unauthenticated(RPCError, status=StatusCode.UNAUTHENTICATED):
    """The user is not specified, or the key is not admitted."""


def error_info(reason: str, domain: str = "tidings.rpc") -> Any:
    """Creates the error detail with a stable reason."""
    detail = Any()
    detail.Pack(ErrorInfo(reason=reason, domain=domain))
    return detail


def deadline_passed() -> DeadlineExceeded:
    """The error of a call whose deadline passed."""
    return DeadlineExceeded(StatusCode.DEADLINE_EXCEEDED, "the deadline passed")
