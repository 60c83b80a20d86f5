"""The bounds that ``proto/tidings/rpc/v1/header.proto`` sets for every call."""

from __future__ import annotations

from typing import Final

METHOD_BYTES_MAX: Final = 255
"""Most bytes of a method's name."""

METADATA_ENTRIES_MAX: Final = 64
"""Most metadata entries of a call."""

METADATA_BYTES_MAX: Final = 8 * 1024
"""Most bytes of a call's metadata, keys and values together."""

IDEMPOTENCY_KEY_BYTES_MAX: Final = 64
"""Most bytes of an idempotency key."""

CREDIT_DEFAULT: Final = 16
"""Messages that a stream may send at once when its client does not say."""

CREDIT_MAX: Final = 1024
"""Most messages that may stand open on a stream."""

FRAME_BYTES_MAX: Final = 16 * 1024 * 1024
"""Largest frame that is sent or taken, in bytes."""

FRAME_BYTES_SLACK: Final = 1024 * 1024
"""How much larger a frame may be before its sender is disconnected."""

NESTING_MAX: Final = 64
"""How deeply messages may be nested."""

TIMEOUT_MILLISECONDS_MAX: Final = 2**32 - 1
"""The longest deadline that a header can carry."""

CALLS_IN_FLIGHT_MAX: Final = 10_000
"""Most calls of one connection that wait for an answer at once."""

RPC_QUEUE_MAX: Final = 10_000
"""Calls and responses that libzmq queues, per direction."""

PUSH_QUEUE_MAX: Final = 10_000
"""Pushes that wait to be read, in libzmq and here; more are lost, and reported as lost."""

HEARTBEAT_MILLISECONDS: Final = 10_000
"""Pings go out this often; a peer that is silent for as long afterwards is gone."""

HEARTBEAT_TTL_MILLISECONDS: Final = 30_000
"""How long the peer waits for us; libzmq 4.3.4 wraps around above 65 s."""

HANDSHAKE_MILLISECONDS: Final = 3_000
"""How long a connection may take to greet before it is made anew."""

RECONNECT_MILLISECONDS: Final = 50
"""First pause before a connection is tried again; it doubles up to the maximum."""

RECONNECT_MILLISECONDS_MAX: Final = 1_000
"""Longest pause before a connection is tried again."""

LINGER_MILLISECONDS: Final = 1_000
"""How long a closed socket goes on sending what it was given."""
