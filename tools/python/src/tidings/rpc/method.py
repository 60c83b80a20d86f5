"""Method descriptors, used by generated stubs."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf.message import Message

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


class Idempotency(enum.Enum):
    """The effect of repeating a call: the method's ``idempotency_level``."""

    UNKNOWN = enum.auto()
    """Each call may have an effect; a retry requires an idempotency key."""
    IDEMPOTENT = enum.auto()
    """Repeating a call has no further effect, unless others changed something in between: retries
    have an idempotency key."""
    NO_SIDE_EFFECTS = enum.auto()
    """Calls have no side effects."""


@dataclass(frozen=True)
class MethodDescriptor(Generic[Request, Response]):
    """Describes a method."""

    full_name: str
    """As in a request header, for example ``tidings.v1.RecordService/ModifyRecords``."""
    request_type: type[Request]
    response_type: type[Response]
    is_streaming: bool = False
    """Whether the server responds with a stream."""
    idempotency: Idempotency = Idempotency.UNKNOWN
