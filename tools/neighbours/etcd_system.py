"""etcd: a key is put, and a watch of its prefix sees it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import etcd_pb2
import etcd_pb2_grpc
import grpc.aio
from system import VALUE, System, connected, free_port, process


class EtcdSystem(System):
    name = "etcd"
    promise = "on disk (fsync)"

    @contextlib.asynccontextmanager
    async def serve(self, folder: Path) -> AsyncIterator[None]:
        port, peer = free_port(), free_port()
        command = [
            "etcd", "--data-dir", folder / "data", "--log-level", "error",
            "--listen-client-urls", f"http://127.0.0.1:{port}",
            "--advertise-client-urls", f"http://127.0.0.1:{port}",
            "--listen-peer-urls", f"http://127.0.0.1:{peer}",
        ]  # fmt: skip
        with process(command, folder):
            await connected(port)
            address = f"127.0.0.1:{port}"
            async with grpc.aio.insecure_channel(address) as writer, grpc.aio.insecure_channel(
                address, options=[("grpc.use_local_subchannel_pool", 1)]
            ) as listener:
                self._writer, self._listener = etcd_pb2_grpc.KVStub(writer), etcd_pb2_grpc.WatchStub(listener)
                yield

    async def write(self, number: int) -> None:
        await self._writer.Put(
            etcd_pb2.PutRequest(key=f"houses/{number}".encode(), value=VALUE.encode()), wait_for_ready=True
        )

    async def notified(self) -> AsyncIterator[int]:
        watch = self._listener.Watch(wait_for_ready=True)
        create = etcd_pb2.WatchCreateRequest(key=b"houses/", range_end=b"houses0", start_revision=1)
        await watch.write(etcd_pb2.WatchRequest(create_request=create))
        async for response in watch:
            for event in response.events:
                yield int(event.kv.key.removeprefix(b"houses/"))
