"""Relays for the RPC endpoint that cut connections, lose answers, or are slow."""

from __future__ import annotations

import contextlib
import socket
import threading
import time


class CuttingRelay:
    """Forwards connections to a server, in threads, and cuts them."""

    def __init__(self, endpoint: str, bytes_max: int) -> None:
        self.cuts = 0
        """Connections that were cut."""
        self._target = int(endpoint.rpartition(":")[2])
        self._bytes_max = bytes_max
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self._target))
        arguments = (client, server, None)
        with client, server:
            requests = threading.Thread(target=self._forward, args=arguments, daemon=True)
            requests.start()
            self._forward(server, client, self._bytes_max)
            requests.join()

    def _forward(self, source: socket.socket, sink: socket.socket, rest: int | None) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                sink.sendall(data if rest is None else data[:rest])
                if rest is not None:
                    rest -= len(data)
                    if rest <= 0:
                        self.cuts += 1
                        break
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Accepts no more connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class LosingRelay:
    """Forwards connections to a server, in threads, and loses answers when it is asked to."""

    def __init__(self, endpoint: str) -> None:
        self.loses = False
        """Whether answers are lost; a connection that has lost one carries no more of them."""
        self.has_lost = threading.Event()
        """Set when something was lost."""
        self.connections = 0
        """Connections that clients have made."""
        self._target = int(endpoint.rpartition(":")[2])
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self._target))
        with self._lock:
            self.connections += 1
            self._open += [client, server]
        with client, server:
            arguments = (client, server, False)
            requests = threading.Thread(target=self._forward, args=arguments, daemon=True)
            requests.start()
            self._forward(server, client, True)
            requests.join()

    def _forward(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        is_silent = False
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                is_silent = is_silent or (is_answer and self.loses)
                if is_silent:
                    self.has_lost.set()
                else:
                    sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Ends the connections that are open now."""
        with self._lock:
            ended, self._open = self._open, []
        for one in ended:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Ends all connections, and accepts no more."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()


class SlowRelay(LosingRelay):
    """Forwards connections to a server, in threads, with so many bytes of answers a second."""

    def __init__(self, endpoint: str, rate: int) -> None:
        self._rate = rate
        super().__init__(endpoint)

    def _forward(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                sink.sendall(data)
                if is_answer:
                    time.sleep(len(data) / self._rate)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
