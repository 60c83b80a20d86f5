"""Descriptions of methods, which generated stubs have."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf.message import Message

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


class Idempotency(enum.Enum):
    """What a repetition does: the method's ``idempotency_level``."""

    UNKNOWN = enum.auto()
    """It may have an effect each time; a retry needs an idempotency key."""
    IDEMPOTENT = enum.auto()
    """It has the effect of the first time."""
    NO_SIDE_EFFECTS = enum.auto()
    """It has none."""


@dataclass(frozen=True)
class MethodDescriptor(Generic[Request, Response]):
    """Describes a method."""

    full_name: str
    """As in a request header, for example ``tidings.v1.RecordService/ModifyRecords``."""
    request_type: type[Request]
    response_type: type[Response]
    is_streaming: bool = False
    """The server answers with a stream."""
    idempotency: Idempotency = Idempotency.UNKNOWN
