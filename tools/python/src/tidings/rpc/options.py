"""Options of a call."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tidings.rpc import limits
from tidings.rpc.errors import InvalidArgument, ResourceExhausted, RPCError
from tidings.rpc.method import Idempotency, MethodDescriptor, Request, Response
from tidings.rpc.status import StatusCode

_METADATA_KEY = re.compile(r"[a-z0-9._-]+")


@dataclass(frozen=True)
class CallOptions:
    """Options of a call."""

    timeout: float | None = None
    """Timeout in seconds; ``None``: the client's default for unary calls and no deadline for
    streams, ``math.inf``: no deadline."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Additional metadata; entries override those of the client."""
    idempotency_key: str | None = None
    """1 to 64 bytes: the call takes effect once, a retry gets the first response."""
    credit: int = 0
    """Initial credit of a stream in messages, 1 to 1024; 0 means 16."""

    def is_safe(self, method: MethodDescriptor[Request, Response]) -> bool:
        """Whether the call may be retried although the outcome of the first attempt is unknown."""
        return method.idempotency is not Idempotency.UNKNOWN or self.idempotency_key is not None

    def with_repetition_key(self, method: MethodDescriptor[Request, Response]) -> CallOptions:
        """Returns the options of a call that may be retried, with a key if it needs one.

        Repeating an idempotent call undoes what others did in between: a zone that was deleted, and
        then created again by another device, would be deleted a second time.
        """
        if method.idempotency is not Idempotency.IDEMPOTENT or self.idempotency_key is not None:
            return self
        return replace(self, idempotency_key=os.urandom(16).hex())

    def refusal(self) -> RPCError | None:
        """Returns the error that a server would return for invalid options."""
        size = 0
        for key, value in self.metadata.items():
            if not _METADATA_KEY.fullmatch(key):
                return _invalid(
                    f"invalid metadata key {key!r}: use lower-case letters, digits, '-', '_' and "
                    "'.'"
                )
            size += len(key) + len(value.encode())
        if self.idempotency_key is not None:
            length = len(self.idempotency_key.encode())
            if not 1 <= length <= limits.IDEMPOTENCY_KEY_BYTES_MAX:
                return _invalid("invalid idempotency key: expected 1 to 64 bytes")
        if not 0 <= self.credit <= limits.CREDIT_MAX:
            return _invalid(
                f"invalid credit {self.credit}: expected 0 to {limits.CREDIT_MAX} messages"
            )
        if len(self.metadata) > limits.METADATA_ENTRIES_MAX:
            return _exhausted(
                f"{len(self.metadata)} metadata entries; at most {limits.METADATA_ENTRIES_MAX} are "
                "allowed"
            )
        if size > limits.METADATA_BYTES_MAX:
            return _exhausted(
                f"{size} bytes of metadata; at most {limits.METADATA_BYTES_MAX} are allowed"
            )
        return None


def _invalid(message: str) -> RPCError:
    return InvalidArgument(StatusCode.INVALID_ARGUMENT, message)


def _exhausted(message: str) -> RPCError:
    return ResourceExhausted(StatusCode.RESOURCE_EXHAUSTED, message)
