"""Status codes of calls."""

from __future__ import annotations

import enum


class StatusCode(enum.IntEnum):
    """gRPC's status codes. Unknown numbers are valid values."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16

    @classmethod
    def _missing_(cls, value: object) -> StatusCode | None:
        if not isinstance(value, int) or value < 0:
            return None
        code = int.__new__(cls, value)
        code._name_ = f"CODE_{value}"
        code._value_ = value
        return code
