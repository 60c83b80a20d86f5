"""What a caller can say about one call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tidings.rpc import limits
from tidings.rpc.errors import InvalidArgument, ResourceExhausted, RPCError
from tidings.rpc.method import Idempotency, MethodDescriptor, Request, Response
from tidings.rpc.status import StatusCode

_METADATA_KEY = re.compile(r"[a-z0-9._-]+")


@dataclass(frozen=True)
class CallOptions:
    """What a caller can say about one call."""

    timeout: float | None = None
    """Seconds until the answer is no longer wanted; ``None``: the client's default for unary calls
    and no deadline for streams, ``math.inf``: no deadline."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Further facts, sent besides those of the client, whose entries they replace."""
    idempotency_key: str | None = None
    """1 to 64 bytes: the call is applied once, a repetition gets the first answer."""
    credit: int = 0
    """Messages that a stream may send before the first one is taken, 1 to 1024; 0: 16."""

    def is_safe(self, method: MethodDescriptor[Request, Response]) -> bool:
        """Whether the call may be sent again without knowing what became of the first time."""
        return method.idempotency is not Idempotency.UNKNOWN or self.idempotency_key is not None

    def refusal(self) -> RPCError | None:
        """Returns what a server would refuse, so that it can be said at once."""
        size = 0
        for key, value in self.metadata.items():
            if not _METADATA_KEY.fullmatch(key):
                return _invalid(
                    f"the metadata key {key!r} is empty or holds other than lower-case letters, "
                    "digits, '-', '_' and '.'"
                )
            size += len(key) + len(value.encode())
        if self.idempotency_key is not None:
            length = len(self.idempotency_key.encode())
            if not 1 <= length <= limits.IDEMPOTENCY_KEY_BYTES_MAX:
                return _invalid("an idempotency key has 1 to 64 bytes")
        if not 0 <= self.credit <= limits.CREDIT_MAX:
            return _invalid(f"credit is 0 to {limits.CREDIT_MAX} messages, not {self.credit}")
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
