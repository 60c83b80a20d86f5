"""Says why a connection was not made, to whom waits for it."""

from __future__ import annotations

from tidings.rpc.errors import RPCError, Unauthenticated, Unavailable
from tidings.rpc.monitor import LinkEvent
from tidings.rpc.status import StatusCode


def connection_failure(event: LinkEvent, endpoint: str, *, has_keys: bool) -> RPCError | None:
    """Returns the status of calls that fail for an event; ``None``: the event is no failure."""
    match event:
        case LinkEvent.CONNECTED | LinkEvent.DISCONNECTED:
            return None
        case LinkEvent.REFUSED:
            return Unauthenticated(
                StatusCode.UNAUTHENTICATED,
                f"the server at {endpoint} does not admit this key: an administrator can add its "
                "public part, or it has expired or was revoked",
            )
        case LinkEvent.UNREACHABLE:
            reason = f"cannot reach {endpoint}: connection refused"
        case LinkEvent.MISUNDERSTOOD if has_keys:
            reason = (
                f"what listens at {endpoint} does not speak CURVE: a server in development mode "
                "takes no keys, and other programs are no servers of ours"
            )
        case LinkEvent.MISUNDERSTOOD:
            reason = (
                f"the server at {endpoint} requires authentication: use a key file and the "
                "server's public key"
            )
        case LinkEvent.BROKEN_OFF if has_keys:
            reason = (
                f"the server at {endpoint} broke off the handshake: it has another key than the "
                "server key given here, does not speak CURVE, or has too much to do"
            )
        case LinkEvent.BROKEN_OFF:
            reason = (
                f"the server at {endpoint} broke off the handshake: if it wants to know who "
                "connects, use a key file and the server's public key"
            )
    return Unavailable(StatusCode.UNAVAILABLE, reason)
