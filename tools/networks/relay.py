"""A network between a client and a server: a TCP proxy that does to connections what networks do."""

from __future__ import annotations

import asyncio
import contextlib
import socket


class _Link:
    """One connection that is passed on."""

    def __init__(self, *ends: asyncio.StreamWriter) -> None:
        self.ends = ends
        self.is_forgotten = False
        """Whether nothing passes any more, though both sides take it for a connection."""
        self.is_reset_by_use = False
        """Whether the next bytes end it, as in a router that forgot it and says so."""

    def reset(self) -> None:
        for end in self.ends:
            end.transport.abort()


class Relay:
    """Passes connections on to a port of this machine; its members say what the network is like."""

    def __init__(self, endpoint: str) -> None:
        self._target = int(endpoint.rpartition(":")[2])
        self._links: set[_Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.delay = 0.0
        """Seconds that each way takes."""
        self.rate: float | None = None
        """Bytes a second towards the client; None: any number."""
        self.bytes_max: int | None = None
        """After so many bytes towards the client a connection is cut."""
        self.is_dark = False
        """Whether everything vanishes, also what new connections say."""
        self.connections = 0
        """How many were made."""

    async def start(self) -> Relay:
        """Listens, and returns itself."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self.endpoint = f"tcp://127.0.0.1:{self.port}"
        return self

    def forget(self) -> None:
        """Forgets the connections that are there: what they carry vanishes; new ones are passed on."""
        for link in self._links:
            link.is_forgotten = True

    def refuse(self) -> None:
        """Forgets the connections that are there, and resets each when it is used."""
        for link in self._links:
            link.is_reset_by_use = True

    def cut(self) -> None:
        """Resets the connections that are there."""
        for link in list(self._links):
            link.reset()

    def close(self) -> None:
        """Ends everything."""
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        far = socket.socket()
        # What a network holds back is not kept in the memory of this machine.
        far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 10)
        far.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(far, ("127.0.0.1", self._target))
        except OSError:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection(sock=far)
        link = _Link(writer, far_writer)
        self._links.add(link)
        for source, sink, is_answer in ((reader, far_writer, False), (far_reader, writer, True)):
            task = asyncio.create_task(self._pass(link, source, sink, is_answer=is_answer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(
        self,
        link: _Link,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        *,
        is_answer: bool,
    ) -> None:
        loop, rest = asyncio.get_running_loop(), self.bytes_max
        with contextlib.suppress(OSError):
            while piece := await source.read(4096):
                # TCP knows no gaps: what has lost something carries nothing any more.
                link.is_forgotten = link.is_forgotten or self.is_dark
                if link.is_forgotten:
                    continue
                if link.is_reset_by_use:
                    break
                if self.delay:
                    loop.call_later(self.delay, sink.write, piece)
                else:
                    sink.write(piece)
                    await sink.drain()
                if is_answer and self.rate:
                    await asyncio.sleep(len(piece) / self.rate)
                if is_answer and rest is not None and (rest := rest - len(piece)) <= 0:
                    break
        if not link.is_forgotten:
            await asyncio.sleep(self.delay)
            link.reset()
        self._links.discard(link)
