"""The limits that ``proto/tidings/rpc/v1/header.proto`` defines for calls."""

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
"""Default credit of a stream, in messages."""

CREDIT_MAX: Final = 1024
"""Largest credit of a stream, in messages."""

FRAME_BYTES_MAX: Final = 16 * 1024 * 1024
"""Largest frame that is sent or accepted, in bytes."""

FRAME_BYTES_SLACK: Final = 1024 * 1024
"""How much larger a received frame may be before the connection is closed."""

NESTING_MAX: Final = 64
"""How deeply messages may be nested."""

TIMEOUT_MILLISECONDS_MAX: Final = 2**32 - 1
"""The longest deadline that a header can carry."""

CALLS_IN_FLIGHT_MAX: Final = 10_000
"""Most calls of a connection that wait for a response at the same time."""

RPC_QUEUE_MAX: Final = 10_000
"""Calls and responses that libzmq queues, per direction."""

PUSH_QUEUE_MAX: Final = 10_000
"""Pushes that are queued, in libzmq and here; further ones are lost and reported as lost."""

HEARTBEAT_MILLISECONDS: Final = 10_000
"""Interval of heartbeats, and how long the peer may take to answer one."""

QUICK_HEARTBEAT_MILLISECONDS: Final = 1_000
"""Interval of heartbeats if there are several endpoints."""

QUICK_HEARTBEAT_TIMEOUT_MILLISECONDS: Final = 2_000
"""How long the peer may take to answer one of these."""

HEARTBEAT_TTL_MILLISECONDS: Final = 30_000
"""How long the peer waits for a heartbeat; libzmq 4.3.4 overflows above 65 s."""

HANDSHAKE_MILLISECONDS: Final = 10_000
"""How long connecting may take before the client tries again: four round trips."""

ATTEMPT_MILLISECONDS: Final = 1_500
"""How long connecting may take before the client tries the next one of several endpoints."""

ATTEMPT_MILLISECONDS_MIN: Final = 100
"""The same for many endpoints, which share the time that calls wait for a connection."""

RECONNECT_MILLISECONDS: Final = 50
"""Initial reconnection delay; it doubles up to the maximum."""

RECONNECT_MILLISECONDS_MAX: Final = 1_000
"""Maximum reconnection delay."""

REFUSAL_PAUSE_MILLISECONDS: Final = 500
"""How long a call waits at least while it is known that there is no connection."""

DESCRIPTORS_MIN: Final = 24
"""How many file descriptors must be left for a connection."""

RECONNECT_NEVER_MILLISECONDS: Final = 2**30
"""When libzmq would reconnect by itself."""

LINGER_MILLISECONDS: Final = 1_000
"""How long a closed socket continues to send queued messages."""
