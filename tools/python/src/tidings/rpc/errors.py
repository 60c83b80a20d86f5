"""What a failed call raises."""

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
"""A day is as good as never."""


class TidingsError(Exception):
    """All that this package raises on purpose."""


class RPCError(TidingsError):
    """A call that failed; there is a subclass for each status.

    ``code`` says how it ended and is never OK, ``message`` says why for people, ``details`` for
    programs, as the wire has them; ``metadata`` is that of the response.
    """

    _classes: ClassVar[dict[StatusCode, type[RPCError]]] = {}

    def __init__(
        self,
        code: StatusCode,
        message: str = "",
        details: Sequence[Any] = (),
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        # Not OSError's, which would take the code for an errno.
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
        """Makes the error of the class that stands for the status."""
        return cls._classes.get(code, RPCError)(code, message, details, metadata)

    def copied(self) -> RPCError:
        """The same error, for another caller: a raised exception remembers where it was raised."""
        return type(self)(self.code, self.message, self.details, self.metadata)

    @property
    def error_info(self) -> ErrorInfo | None:
        """The stable reason, if the server gave one."""
        return next(self._decoded(ErrorInfo), None)

    @property
    def bad_request(self) -> BadRequest | None:
        """Which parts of the request were refused, if the server says it."""
        return next(self._decoded(BadRequest), None)

    @property
    def item_error(self) -> ItemErrorMessage | None:
        """The reason in CloudKit's words, where a call as a whole failed for an item's reason."""
        return next(self._decoded(ItemErrorMessage), None)

    @property
    def retry_after(self) -> float | None:
        """Seconds that the server asks to wait before the call is sent again, if it says so."""
        for info in self._decoded(RetryInfo):
            seconds = info.retry_delay.seconds + info.retry_delay.nanos / 1e9
            if 0 <= seconds <= _RETRY_SECONDS_MAX:
                return seconds
        return None

    @property
    def is_worth_repeating(self) -> bool:
        """The server may answer later."""
        return self.code in (
            StatusCode.UNAVAILABLE,
            StatusCode.DEADLINE_EXCEEDED,
            StatusCode.RESOURCE_EXHAUSTED,
            StatusCode.ABORTED,
        )

    def _decoded(self, kind: type[_Detail]) -> Iterator[_Detail]:
        """The details of a type; what cannot be read says nothing."""
        for detail in self.details:
            if detail.type_url.rpartition("/")[2] == kind.DESCRIPTOR.full_name:
                try:
                    yield kind.FromString(detail.value)
                except DecodeError:
                    continue


class Cancelled(RPCError, status=StatusCode.CANCELLED):
    """The call was given up: by the client's ``close``, or a stream without credit for 60 s.

    A task that is cancelled gets :class:`asyncio.CancelledError` as always.
    """


class InvalidArgument(RPCError, status=StatusCode.INVALID_ARGUMENT):
    """The request is wrong: mend it."""


class DeadlineExceeded(RPCError, TimeoutError, status=StatusCode.DEADLINE_EXCEEDED):
    """The time was over first; the effect of a write is not known."""


class NotFound(RPCError, status=StatusCode.NOT_FOUND):
    """What the call as a whole needs does not exist."""


class AlreadyExists(RPCError, status=StatusCode.ALREADY_EXISTS):
    """What was to be created exists."""


class PermissionDenied(RPCError, status=StatusCode.PERMISSION_DENIED):
    """The caller may not do this."""


class ResourceExhausted(RPCError, status=StatusCode.RESOURCE_EXHAUSTED):
    """A limit is exceeded: split the call, or wait for ``retry_after``."""


class FailedPrecondition(RPCError, status=StatusCode.FAILED_PRECONDITION):
    """The state of the server refuses."""


class Aborted(RPCError, status=StatusCode.ABORTED):
    """A conflict with another call: read again, then repeat."""


class OutOfRange(RPCError, status=StatusCode.OUT_OF_RANGE):
    """A range or token beyond what there is."""


class Unimplemented(RPCError, status=StatusCode.UNIMPLEMENTED):
    """The server does not have the method."""


class Internal(RPCError, status=StatusCode.INTERNAL):
    """A defect: report it."""


class Unavailable(RPCError, ConnectionError, status=StatusCode.UNAVAILABLE):
    """No connection, or the server cannot answer now: repeat."""


class DataLoss(RPCError, status=StatusCode.DATA_LOSS):
    """Data is lost or damaged."""


class Unauthenticated(RPCError, status=StatusCode.UNAUTHENTICATED):
    """The caller is not known, or its key is not admitted."""


def error_info(reason: str, domain: str = "tidings.rpc") -> Any:
    """Makes the detail that names a stable reason."""
    detail = Any()
    detail.Pack(ErrorInfo(reason=reason, domain=domain))
    return detail


def deadline_passed() -> DeadlineExceeded:
    """The error of a call whose time is over."""
    return DeadlineExceeded(StatusCode.DEADLINE_EXCEEDED, "the deadline passed")
