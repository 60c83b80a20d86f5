"""A relay for the RPC endpoint that cuts each connection after so many bytes of answers."""

from __future__ import annotations

import contextlib
import socket
import threading


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
