"""A ZeroMQ socket on an asyncio loop, with the state of its connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import zmq

from tidings.rpc import limits
from tidings.rpc.context import Context, check_descriptors
from tidings.rpc.errors import InvalidArgument
from tidings.rpc.keys import ClientKeys
from tidings.rpc.monitor import LinkMonitor, events
from tidings.rpc.route import Route, is_local
from tidings.rpc.status import StatusCode

# As numbers: to combine members of an enum takes as long as to send a message.
_NOBLOCK = int(zmq.NOBLOCK)
_NOBLOCK_MORE = int(zmq.NOBLOCK | zmq.SNDMORE)
_POLLIN = int(zmq.POLLIN)
_POLLOUT = int(zmq.POLLOUT)


class Link:
    """A client socket with its monitor, polled by the loop that created it.

    Plain sockets rather than ``zmq.asyncio``: events of the monitor and messages of the socket must
    be processed in a certain order, which two waiting coroutines would not preserve.

    libzmq's descriptors are edge-triggered: ``on_ready`` is called when something *may* have
    happened, and must read until there is nothing left (:attr:`is_readable`).
    """

    def __init__(
        self,
        context: Context,
        kind: int,
        route: Route,
        keys: ClientKeys | None,
        on_ready: Callable[[], None],
        *,
        is_quick: bool = False,
        queue_max: int = limits.RPC_QUEUE_MAX,
        topics: Iterable[bytes] = (),
    ) -> None:
        """Starts connecting; raises :class:`InvalidArgument` for a malformed endpoint, and
        :class:`OSError` if the process has too few descriptors left.

        ``is_quick``: a silent peer is disconnected after 3 s at the latest.
        """
        self._loop = asyncio.get_running_loop()
        check_descriptors()
        self.socket: zmq.Socket[bytes] = context.socket(kind)
        try:
            _configure(self.socket, route, queue_max)
            if is_quick:
                self.socket.heartbeat_ivl = limits.QUICK_HEARTBEAT_MILLISECONDS
                self.socket.heartbeat_timeout = limits.QUICK_HEARTBEAT_TIMEOUT_MILLISECONDS
            if keys is not None:
                self.socket.curve_serverkey = keys.server_key.encode()
                self.socket.curve_publickey = keys.pair.public_key.encode()
                self.socket.curve_secretkey = keys.pair.secret_key.encode()
            if kind == zmq.SUB:
                # Subscriptions are sent as messages. With a limit, libzmq would silently drop those
                # above it when it sends all of them after a reconnection.
                self.socket.sndhwm = 0
            for topic in topics:
                self.socket.setsockopt(zmq.SUBSCRIBE, topic)
            self.monitor = LinkMonitor(self.socket, is_local=is_local(route.endpoint))
            try:
                self.socket.connect(route.endpoint)
            except BaseException:
                self.monitor.close()
                raise
        except BaseException as error:
            # A socket that stays open keeps its context from ending.
            self.socket.close(linger=0)
            if not isinstance(error, zmq.ZMQError):
                raise
            raise InvalidArgument(
                StatusCode.INVALID_ARGUMENT, f"cannot connect to '{route.endpoint}': {error}"
            ) from None
        # pyzmq's own functions in C, without those in Python around them.
        self._send = super(zmq.Socket, self.socket).send
        self._receive = super(zmq.Socket, self.socket).recv
        self._descriptors = [int(self.socket.FD), int(self.monitor.socket.FD)]
        for descriptor in self._descriptors:
            self._loop.add_reader(descriptor, on_ready)
        # The descriptor of a new socket signals nothing before its events were read once.
        self._loop.call_soon(on_ready)

    def receive(self) -> list[bytes] | None:
        """The next message, if there is one."""
        # Not recv_multipart: a frame knows whether another follows, of a socket that is an option.
        frames = []
        try:
            while True:
                frame = self._receive(_NOBLOCK, copy=False)
                frames.append(frame.bytes)
                if not frame.more:
                    return frames
        except zmq.Again:
            return None

    def send(self, header: bytes, body: bytes) -> bool:
        """Passes a message to the socket; ``False`` if its queue is full."""
        # Not send_multipart, which checks the frames first.
        try:
            self._send(header, _NOBLOCK_MORE)
            self._send(body, _NOBLOCK)
        except zmq.Again:
            return False
        return True

    @property
    def is_readable(self) -> bool:
        """Whether a message can be received."""
        return events(self.socket) & _POLLIN != 0

    @property
    def is_writable(self) -> bool:
        """Whether a message can be sent."""
        return events(self.socket) & _POLLOUT != 0

    def close(self, *, linger_milliseconds: int = 0) -> None:
        """Closes the connection; queued messages are sent until the linger time has passed."""
        for descriptor in self._descriptors:
            self._loop.remove_reader(descriptor)
        self.monitor.close()
        self.socket.close(linger=linger_milliseconds)


def _configure(socket: zmq.Socket[bytes], route: Route, queue_max: int) -> None:
    socket.maxmsgsize = limits.FRAME_BYTES_MAX + limits.FRAME_BYTES_SLACK
    socket.sndhwm = socket.rcvhwm = queue_max
    socket.linger = limits.LINGER_MILLISECONDS
    socket.heartbeat_ivl = socket.heartbeat_timeout = limits.HEARTBEAT_MILLISECONDS
    socket.heartbeat_ttl = limits.HEARTBEAT_TTL_MILLISECONDS
    # Its owner makes the next attempt, with another socket. Without an interval libzmq would not
    # report that one failed.
    socket.reconnect_ivl = limits.RECONNECT_NEVER_MILLISECONDS
    socket.handshake_ivl = limits.HANDSHAKE_MILLISECONDS
    socket.ipv6 = route.uses_ipv6
