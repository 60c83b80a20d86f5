"""Receives events of a socket's connection from libzmq: established, lost, failed."""

from __future__ import annotations

import enum
import struct

import zmq

from tidings.rpc.failure import ConnectionFailure


class LinkEvent(enum.Enum):
    """What happened to a connection."""

    CONNECTING = enum.auto()
    """The address is asked for a connection."""
    ACCEPTED = enum.auto()
    """The address accepted it; the handshake begins."""
    CONNECTED = enum.auto()
    """The handshake succeeded; messages can be sent."""
    DISCONNECTED = enum.auto()
    """The connection was lost, with all messages in transit; also follows a failed handshake."""


class _Progress(enum.Enum):
    """How far an attempt came."""

    NONE = enum.auto()
    REFUSED = enum.auto()
    """The system refused at once to ask for a connection."""
    CONNECTING = enum.auto()
    ACCEPTED = enum.auto()


_FAILURE = ConnectionFailure
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
    | zmq.EVENT_CONNECT_DELAYED
    | zmq.EVENT_CLOSED
)


_POLLIN = int(zmq.POLLIN)


def events(socket: zmq.Socket[bytes]) -> int:
    """What can be done with a socket: ``zmq.POLLIN``, ``zmq.POLLOUT``."""
    # Not socket.EVENTS, which makes a member of an enum.
    return int(socket.get(zmq.EVENTS))


class LinkMonitor:
    """Monitors a socket; create it before the socket connects."""

    def __init__(self, socket: zmq.Socket[bytes], *, is_local: bool) -> None:
        """``is_local``: the system answers at once, for those who would."""
        self._watched = socket
        self.socket: zmq.Socket[bytes] = socket.get_monitor_socket(_KINDS)
        self._is_local = is_local
        self._progress = _Progress.NONE

    def next(self) -> LinkEvent | ConnectionFailure | None:
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

    def _event(self, kind: int, value: int) -> LinkEvent | ConnectionFailure | None:
        match kind:
            case zmq.EVENT_HANDSHAKE_SUCCEEDED:
                return LinkEvent.CONNECTED
            case zmq.EVENT_DISCONNECTED:
                return LinkEvent.DISCONNECTED
            case zmq.EVENT_CONNECT_DELAYED:
                self._progress = _Progress.CONNECTING
                return LinkEvent.CONNECTING
            case zmq.EVENT_CONNECTED:
                self._progress = _Progress.ACCEPTED
                return LinkEvent.ACCEPTED
            case zmq.EVENT_CLOSED:
                if self._progress is _Progress.NONE:
                    self._progress = _Progress.REFUSED
            case zmq.EVENT_CONNECT_RETRIED:
                return self._failure()
            case zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                # 300 means "try again later", which rpcd does not send.
                is_refusal = value == _KEY_NOT_ADMITTED
                return _FAILURE.KEY_REFUSED if is_refusal else _FAILURE.HANDSHAKE_CLOSED
            case zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:
                return _FAILURE.HANDSHAKE_CLOSED
            case zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL:
                return _FAILURE.PROTOCOL_MISMATCH
        return None

    def _failure(self) -> ConnectionFailure | None:
        """Why an attempt was not accepted; ``None``: it was, and the handshake failed."""
        progress, self._progress = self._progress, _Progress.NONE
        match progress:
            case _Progress.NONE:
                return _FAILURE.UNRESOLVED
            case _Progress.REFUSED if not self._is_local:
                return _FAILURE.NO_ROUTE
            case _Progress.REFUSED | _Progress.CONNECTING:
                return _FAILURE.CONNECTION_REFUSED
        return None
