"""Why there is no connection, in words."""

from __future__ import annotations

import enum

from tidings.rpc.errors import RPCError
from tidings.rpc.status import StatusCode


class ConnectionFailure(enum.IntEnum):
    """Why there is no connection; later ones came further, so they explain more."""

    LOST = enum.auto()
    """There was one."""
    UNRESOLVED = enum.auto()
    """The name of the host means nothing."""
    NAME_SILENT = enum.auto()
    """The name server did not answer."""
    NO_ROUTE = enum.auto()
    """This machine knows no way to the address."""
    SILENT = enum.auto()
    """Nothing came back: the host is off, or packets vanish."""
    CONNECTION_REFUSED = enum.auto()
    """Nobody listens there."""
    HANDSHAKE_SILENT = enum.auto()
    """The connection was accepted, and the handshake not finished."""
    HANDSHAKE_CLOSED = enum.auto()
    """The server closed the connection during the handshake."""
    PROTOCOL_MISMATCH = enum.auto()
    """Client and server use different security mechanisms or protocols."""
    KEY_REFUSED = enum.auto()
    """The server does not admit the key."""
    DRAINING = enum.auto()
    """The server takes no calls."""

    @property
    def ends_attempt(self) -> bool:
        """Whether nothing else is reported of the attempt."""
        return ConnectionFailure.LOST < self < ConnectionFailure.HANDSHAKE_SILENT

    @property
    def is_refusal(self) -> bool:
        """Whether waiting does not help."""
        return self is ConnectionFailure.KEY_REFUSED

    def reason(self, *, has_keys: bool) -> str:
        """Returns a few words, for a list of endpoints."""
        if self is ConnectionFailure.PROTOCOL_MISMATCH:
            return "does not speak CURVE" if has_keys else "requires authentication"
        return _REASONS[self]

    def error(self, endpoint: str, *, has_keys: bool) -> RPCError:
        """Returns the error of calls to the only endpoint."""
        code = StatusCode.UNAUTHENTICATED if self.is_refusal else StatusCode.UNAVAILABLE
        return RPCError.of(code, self._sentence(endpoint, has_keys=has_keys))

    def _sentence(self, endpoint: str, *, has_keys: bool) -> str:
        match self:
            case ConnectionFailure.LOST | ConnectionFailure.CONNECTION_REFUSED:
                return f"cannot reach {endpoint}: {_REASONS[self]}"
            case ConnectionFailure.UNRESOLVED:
                return (
                    f"cannot reach {endpoint}: its name cannot be resolved: check the name, and "
                    "the name server of this machine"
                )
            case ConnectionFailure.NAME_SILENT:
                return (
                    f"cannot reach {endpoint}: no answer of the name server that is to resolve "
                    "its name"
                )
            case ConnectionFailure.NO_ROUTE:
                return (
                    f"cannot reach {endpoint}: this machine has no route to it: check its network"
                )
            case ConnectionFailure.SILENT:
                return (
                    f"cannot reach {endpoint}: no answer: its host is off, or packets are lost, "
                    "for example at a firewall"
                )
            case ConnectionFailure.HANDSHAKE_SILENT:
                return (
                    f"the server at {endpoint} accepted the connection, but has not finished the "
                    "handshake: the network is slow, it hangs or is overloaded, or another "
                    "program listens there"
                )
            case ConnectionFailure.HANDSHAKE_CLOSED:
                advice = (
                    "check the server key, omit the keys if the server is in development mode, "
                    "or retry later if it is overloaded"
                    if has_keys
                    else "if it requires authentication, use a key file and the server's public key"
                )
                return (
                    f"the server at {endpoint} closed the connection during the handshake: {advice}"
                )
            case ConnectionFailure.PROTOCOL_MISMATCH if has_keys:
                return (
                    f"the server at {endpoint} does not speak CURVE: check the endpoint, or omit "
                    "the keys if the server is in development mode"
                )
            case ConnectionFailure.PROTOCOL_MISMATCH:
                return (
                    f"the server at {endpoint} requires authentication: use a key file and the "
                    "server's public key"
                )
            case ConnectionFailure.KEY_REFUSED:
                return (
                    f"the server at {endpoint} does not admit this key, which may be unknown, "
                    "expired or revoked: ask an administrator to add the public key"
                )
            case ConnectionFailure.DRAINING:
                return f"the server at {endpoint} {_REASONS[self]}"


_REASONS = {
    ConnectionFailure.LOST: "the connection was lost",
    ConnectionFailure.UNRESOLVED: "its name cannot be resolved",
    ConnectionFailure.NAME_SILENT: "no answer of the name server",
    ConnectionFailure.NO_ROUTE: "no route to it",
    ConnectionFailure.SILENT: "no answer",
    ConnectionFailure.CONNECTION_REFUSED: "connection refused",
    ConnectionFailure.HANDSHAKE_SILENT: "the handshake is not finished",
    ConnectionFailure.HANDSHAKE_CLOSED: "closed the connection during the handshake",
    ConnectionFailure.KEY_REFUSED: "does not admit this key",
    ConnectionFailure.DRAINING: "takes no calls for now (it is draining)",
}
