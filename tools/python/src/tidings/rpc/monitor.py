"""Hears from libzmq when a socket's connection is made and lost, and why it is not."""

from __future__ import annotations

import enum
import struct

import zmq


class LinkEvent(enum.Enum):
    """What happened to a connection."""

    CONNECTED = enum.auto()
    """Both sides know each other: messages flow."""
    DISCONNECTED = enum.auto()
    """What was on its way is lost; after a failed handshake nothing was."""
    UNREACHABLE = enum.auto()
    """Nobody took the connection."""
    REFUSED = enum.auto()
    """The server does not admit the key."""
    BROKEN_OFF = enum.auto()
    """The server ended the handshake, or did not go on with it."""
    MISUNDERSTOOD = enum.auto()
    """The two sides do not speak the same."""


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


class LinkMonitor:
    """Watches a socket from before it connects."""

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._watched = socket
        self.socket: zmq.Socket[bytes] = socket.get_monitor_socket(_KINDS)
        # Somebody took the connection that is being made.
        self._is_taken = False

    def next(self) -> LinkEvent | None:
        """The next event, if there is one."""
        while True:
            try:
                data, *_ = self.socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return None
            event = self._event(*_EVENT.unpack_from(data))
            if event is not None:
                return event

    def close(self) -> None:
        """Watches no longer."""
        self._watched.disable_monitor()
        self.socket.close(linger=0)

    def _event(self, kind: int, value: int) -> LinkEvent | None:
        match kind:
            case zmq.EVENT_HANDSHAKE_SUCCEEDED:
                return LinkEvent.CONNECTED
            case zmq.EVENT_DISCONNECTED:
                return LinkEvent.DISCONNECTED
            case zmq.EVENT_CONNECTED:
                self._is_taken = True
            case zmq.EVENT_CONNECT_RETRIED:
                # It comes after failed handshakes too.
                if not self._is_taken:
                    return LinkEvent.UNREACHABLE
                self._is_taken = False
            case zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                # 300 is "try again later", and no server of ours says it aloud.
                return LinkEvent.REFUSED if value == _KEY_NOT_ADMITTED else LinkEvent.BROKEN_OFF
            case zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:
                return LinkEvent.BROKEN_OFF
            case zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL:
                return LinkEvent.MISUNDERSTOOD
        return None
