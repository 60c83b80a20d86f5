"""What an event loop keeps of an object that may be dropped."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable


class WeakCallback:
    """Calls a method of an object unless the object is gone: a loop holds its callbacks."""

    def __init__(self, method: Callable[[], None]) -> None:
        self._method = weakref.WeakMethod(method)
        self.keeps: object | None = None
        """Keeps an object for which tasks wait: nothing else may hold them."""

    def __call__(self) -> None:
        method = self._method()
        if method is not None:
            method()


def run_on(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    """Runs what ends a dropped object, which the collector finds in any thread, without waiting."""
    if loop.is_running():
        try:
            loop.call_soon_threadsafe(action)
        except RuntimeError:
            # The loop has just been closed.
            action()
    else:
        action()
