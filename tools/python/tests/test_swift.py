"""Compatibility of the Python client and the Swift client (in ``rpcctl``)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from server import Server, program

import tidings
from tidings import Record
from tidings.encryption.key import EncryptionKey
from tidings.encryption.key_ring import KeyRing, KeyRingEntry


async def rpcctl(server: Server, *arguments: str) -> list[dict[str, Any]]:
    """Runs ``rpcctl``; returns the JSON lines that it prints."""
    process = await asyncio.create_subprocess_exec(
        str(program("rpcctl")),
        *("--endpoint", server.rpc, "--as", "ada", "--device", "d", "-o", "jsonl"),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return [json.loads(line) for line in output.splitlines()]


async def test_either_resumes_at_the_position_of_the_other(server: Server, tmp_path: Path) -> None:
    state = tmp_path / "inbox"
    async with server.client(user="ada") as writer, server.client(user="ada", device="d") as reader:
        database = writer.database()
        await database.save_subscription(tidings.query_subscription("all", "Things"))

        async def by_swift(count: int) -> list[str]:
            lines = await rpcctl(server, "watch", "--state", str(state), "--count", str(count))
            return [line["recordName"] for line in lines if "notificationId" in line]

        async def by_python(count: int) -> list[str]:
            names: list[str] = []
            async with reader.inbox(state) as inbox:
                async for item in inbox:
                    names.append(item.notification.record_name)
                    await inbox.commit(item)
                    if len(names) == count:
                        break
            return names

        for n in range(9):
            await database.save(Record("Things", f"t{n}"))
        assert await by_swift(2) == ["t0", "t1"]
        assert await by_python(3) == ["t2", "t3", "t4"]
        assert await by_swift(1) == ["t5"]
        assert await by_python(2) == ["t6", "t7"]
        assert await by_swift(1) == ["t8"]


async def test_either_opens_values_of_the_other(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "ada.ring"
    KeyRing([KeyRingEntry(EncryptionKey.generate())]).create(path)
    async with server.client(user="ada") as client:
        sealer = await client.field_sealer(path)
        door = Record("Doors", "python", {"pin": "1234"})
        sealer.seal(door, "pin")
        await client.database().save(door)
        (line,) = await rpcctl(server, "fetch-records", "python", "--key-ring", str(path))
        assert line["fields"]["pin"] == {"encrypted": "1234"}
        record = {"recordType": "Doors", "recordName": "swift"}
        record_json = json.dumps({**record, "fields": {"pin": {"encrypted": "5678"}}})
        await rpcctl(server, "modify-records", "--save", record_json, "--key-ring", str(path))
        fetched = await client.database().fetch("swift")
        assert sealer.open(fetched) == {}
        assert fetched["pin"] == "5678"
