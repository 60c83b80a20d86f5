"""Waiting for something while something else must go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def first(work: Coroutine[Any, Any, T], other: asyncio.Future[Any]) -> T:
    """Waits for work; if something else ends before it, raises its error."""
    task = asyncio.ensure_future(work)
    await asyncio.wait([task, other], return_when=asyncio.FIRST_COMPLETED)
    if not task.done():
        task.cancel()
        raise AssertionError(f"unexpected end, with {await other}")
    return await task


async def until(what: str, condition: Callable[[], bool], seconds: float = 300) -> None:
    """Waits until a condition holds that nothing reports, by looking at it again and again."""
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end, f"waited {seconds} s for: {what}"
        await asyncio.sleep(0.01)
