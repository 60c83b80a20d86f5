"""An event loop on its own thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from tidings.rpc.errors import Cancelled
from tidings.rpc.status import StatusCode

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for threads without an event loop.

    The thread ends with :meth:`close`, or when nobody can pass anything to it any more.
    """

    def __init__(self, name: str = "tidings") -> None:
        self._loop = asyncio.new_event_loop()
        self._is_closed = False
        # After `close` no coroutine is passed to the loop: nothing would end it. Reentrant, because
        # the handler of a signal may close the client.
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=_run, args=(self._loop,), name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine and waits for it; an interrupt cancels it.

        Raises :class:`~tidings.rpc.errors.Cancelled` if another thread closes the loop meanwhile.
        """
        future = self._start(work)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise Cancelled(StatusCode.CANCELLED, "the client is closed") from None
        except BaseException:
            future.cancel()
            raise

    def call(self, function: Callable[[], T]) -> T:
        """Calls a function on the loop and waits for it."""

        async def on_loop() -> T:
            return function()

        return self.run(on_loop())

    def close(self) -> None:
        """Cancels what runs, and ends the loop and its thread."""
        with self._lock:
            if not self._is_closed and self._thread.is_alive():
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._is_closed = True
        self._thread.join()

    def __del__(self) -> None:
        # The garbage collector may run in any thread, also in this one, which it must not wait for.
        if not getattr(self, "_is_closed", True) and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _start(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        with self._lock:
            is_open = not self._is_closed and self._thread.is_alive()
            if not is_open or self._thread is threading.current_thread():
                work.close()
                raise RuntimeError("the client is closed, or was called from its own loop")
            return asyncio.run_coroutine_threadsafe(work, self._loop)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        _cancel_tasks(loop)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


def _cancel_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Ends the tasks that other threads wait for."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks))
