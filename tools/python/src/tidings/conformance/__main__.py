"""Executes the runner's tasks in sequence."""

from __future__ import annotations

import asyncio
import struct
import sys

from tidings.conformance.subject import Subject
from tidings.conformance.v1.conformance_pb2 import Task, TaskResult

_LENGTH = struct.Struct(">I")


def _read() -> Task | None:
    """The next task; ``None`` at the end of the input."""
    head = sys.stdin.buffer.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    return Task.FromString(sys.stdin.buffer.read(length))


def _write(result: TaskResult) -> None:
    data = result.SerializeToString()
    sys.stdout.buffer.write(_LENGTH.pack(len(data)) + data)
    sys.stdout.buffer.flush()


async def _main() -> None:
    async with Subject() as subject:
        while (task := await asyncio.to_thread(_read)) is not None:
            _write(await subject.perform(task))


asyncio.run(_main())
