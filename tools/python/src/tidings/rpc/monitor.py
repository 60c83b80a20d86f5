"""Receives events of a socket's connection from libzmq: established, lost, failed."""

from __future__ import annotations

import enum
import struct

import zmq


class LinkEvent(enum.Enum):
    """What happened to a connection."""

    CONNECTED = enum.auto()
    """The handshake succeeded; messages can be sent."""
    DISCONNECTED = enum.auto()
    """The connection was lost, with all messages in transit; also follows a failed handshake."""
    UNREACHABLE = enum.auto()
    """The connection was refused."""
    REFUSED = enum.auto()
    """The server does not admit the key."""
    HANDSHAKE_CLOSED = enum.auto()
    """The server closed the connection during the handshake, or did not continue it."""
    PROTOCOL_MISMATCH = enum.auto()
    """Client and server use different security mechanisms or protocols."""


_KEY_NOT_ADMITTED = 400
_EVENT = struct.Struct("=HI")
_KINDS = (
    zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_DISCONNECTED
    | zmq.EVENT_CONNECT_RETRIED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_CONNECTED
)


_POLLIN = int(zmq.POLLIN)


def events(socket: zmq.Socket[bytes]) -> int:
    """What can be done with a socket: ``zmq.POLLIN``, ``zmq.POLLOUT``."""
    # Not socket.EVENTS, which makes a member of an enum.
    return int(socket.get(zmq.EVENTS))


class LinkMonitor:
    """Monitors a socket; create it before the socket connects."""

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._watched = socket
        self.socket: zmq.Socket[bytes] = socket.get_monitor_socket(_KINDS)
        # Whether the TCP connection was accepted.
        self._is_accepted = False

    def next(self) -> LinkEvent | None:
        """The next event, if there is one."""
        # Asked for first: most often there is none, and an exception takes twice as long.
        while events(self.socket) & _POLLIN:
            try:
                data, *_ = self.socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return None
            event = self._event(*_EVENT.unpack_from(data))
            if event is not None:
                return event
        return None

    def close(self) -> None:
        """Stops monitoring."""
        self._watched.disable_monitor()
        self.socket.close(linger=0)

    def _event(self, kind: int, value: int) -> LinkEvent | None:
        match kind:
            case zmq.EVENT_HANDSHAKE_SUCCEEDED:
                return LinkEvent.CONNECTED
            case zmq.EVENT_DISCONNECTED:
                return LinkEvent.DISCONNECTED
            case zmq.EVENT_CONNECTED:
                self._is_accepted = True
            case zmq.EVENT_CONNECT_RETRIED:
                # Also sent after failed handshakes.
                if not self._is_accepted:
                    return LinkEvent.UNREACHABLE
                self._is_accepted = False
            case zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                # 300 means "try again later", which rpcd does not send.
                return (
                    LinkEvent.REFUSED if value == _KEY_NOT_ADMITTED else LinkEvent.HANDSHAKE_CLOSED
                )
            case zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:
                return LinkEvent.HANDSHAKE_CLOSED
            case zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL:
                return LinkEvent.PROTOCOL_MISMATCH
        return None
