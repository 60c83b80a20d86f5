"""What is measured: a system that stores values durably, and notifies a listener of each."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import signal
import socket
import subprocess
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

VALUE = "a" * 200
"""What is stored under each number."""


class System(ABC):
    """One system, with its server, a connection that writes and another that listens."""

    name: str
    """The name in the table."""
    promise: str
    """What holds when a write has been acknowledged."""

    @abstractmethod
    def serve(self, folder: Path) -> contextlib.AbstractAsyncContextManager[None]:
        """Runs the server, and both connections."""

    @abstractmethod
    async def write(self, number: int) -> None:
        """Stores a value, and waits until it is acknowledged."""

    @abstractmethod
    def notified(self) -> AsyncIterator[int]:
        """The numbers that the listener is notified of."""


def free_port() -> int:
    """A port of this machine."""
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        port: int = any_socket.getsockname()[1]
        return port


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@contextlib.contextmanager
def process(command: Sequence[str | Path], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A server process, whose messages are in ``folder/log``."""
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            preexec_fn=_end_with_parent,
        )
        try:
            yield server
        finally:
            server.terminate()
            server.wait()


async def connected(port: int) -> None:
    """Waits until a server accepts connections."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
