"""Maps a failure to connect to an error."""

from __future__ import annotations

from tidings.rpc.errors import RPCError, Unauthenticated, Unavailable
from tidings.rpc.monitor import LinkEvent
from tidings.rpc.ring import EndpointFailure
from tidings.rpc.status import StatusCode


def connection_failure(event: LinkEvent, endpoint: str, *, has_keys: bool) -> RPCError | None:
    """Returns the error of calls that fail because of an event; ``None`` if it is not a failure."""
    match event:
        case LinkEvent.CONNECTED | LinkEvent.DISCONNECTED:
            return None
        case LinkEvent.REFUSED:
            return Unauthenticated(
                StatusCode.UNAUTHENTICATED,
                f"the server at {endpoint} does not admit this key, which may be unknown, expired "
                "or revoked: ask an administrator to add the public key",
            )
        case LinkEvent.UNREACHABLE:
            reason = f"cannot reach {endpoint}: connection refused"
        case LinkEvent.PROTOCOL_MISMATCH if has_keys:
            reason = (
                f"the server at {endpoint} does not speak CURVE: check the endpoint, or omit the "
                "keys if the server is in development mode"
            )
        case LinkEvent.PROTOCOL_MISMATCH:
            reason = (
                f"the server at {endpoint} requires authentication: use a key file and the "
                "server's public key"
            )
        case LinkEvent.HANDSHAKE_CLOSED if has_keys:
            reason = (
                f"the server at {endpoint} closed the connection during the handshake: check the "
                "server key, or retry later if the server is overloaded"
            )
        case LinkEvent.HANDSHAKE_CLOSED:
            reason = (
                f"the server at {endpoint} closed the connection during the handshake: if it "
                "requires authentication, use a key file and the server's public key"
            )
    return Unavailable(StatusCode.UNAVAILABLE, reason)


def endpoint_failure(event: LinkEvent, *, has_keys: bool) -> EndpointFailure | None:
    """Returns the same in a few words, for a list of endpoints."""
    match event:
        case LinkEvent.CONNECTED | LinkEvent.DISCONNECTED:
            return None
        case LinkEvent.REFUSED:
            return EndpointFailure("does not admit this key", is_refusal=True)
        case LinkEvent.UNREACHABLE:
            return EndpointFailure("connection refused")
        case LinkEvent.PROTOCOL_MISMATCH if has_keys:
            return EndpointFailure("does not speak CURVE")
        case LinkEvent.PROTOCOL_MISMATCH:
            return EndpointFailure("requires authentication")
        case LinkEvent.HANDSHAKE_CLOSED:
            return EndpointFailure("closed the connection during the handshake")
