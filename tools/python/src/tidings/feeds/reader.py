"""Fetches the pages of a feed in sequence, for both kinds of feeds."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol, TypeVar

from google.protobuf.duration_pb2 import Duration

from tidings.errors import ItemError
from tidings.feeds.state import SHORTEST_WAIT, FeedState
from tidings.page_limit import LATE_MAX
from tidings.rpc.errors import RPCError
from tidings.rpc.retry import Backoff


class Page(Protocol):
    """A page of a feed."""

    @property
    def change_token(self) -> bytes:
        """Where the next page starts."""

    @property
    def more_coming(self) -> bool:
        """Whether another page is available."""

    @property
    def is_empty(self) -> bool:
        """Whether the page contains no changes."""


ConnectionListener = Callable[[RPCError | None], None]
"""Called with the reason when the server is unreachable, a stream after a second and again when the
reason changes, and with ``None`` when it is reachable again; must not block. With the reason
``DeadlineExceeded`` there is a connection, but answers do not arrive in time; smaller ones are
requested."""

PageType = TypeVar("PageType", bound=Page)


async def pages(
    fetch: Callable[[bytes, float], Awaitable[PageType]],
    token: bytes,
    *,
    follow: bool,
    on_connection: ConnectionListener | None = None,
) -> AsyncIterator[PageType]:
    """Yields the non-empty pages after a token; a followed feed retries after failures."""
    state = FeedState(token, follows=follow)
    backoff = Backoff()
    is_lost = False
    loop = asyncio.get_running_loop()
    while (wait := state.next_wait) is not None:
        # After a failure, a reachable server should answer immediately.
        wait = 0.0 if is_lost else wait
        begin = loop.time()
        try:
            page = await fetch(state.token, wait)
        except (RPCError, ItemError) as error:
            if not follow or not error.is_worth_repeating:
                raise
            # A server that refuses an item can be reached.
            if isinstance(error, RPCError) and not is_lost:
                is_lost = True
                if on_connection is not None:
                    on_connection(error)
            await asyncio.sleep(backoff.next())
            continue
        if is_lost:
            is_lost = False
            if on_connection is not None:
                on_connection(None)
        if state.fetched(page.change_token, more_coming=page.more_coming, is_empty=page.is_empty):
            backoff.reset()
            yield page
        elif wait == 0 or loop.time() - begin >= SHORTEST_WAIT:
            backoff.reset()
        else:
            # A server that is stopping, or has too many waiting calls, does not wait: the client
            # must.
            await asyncio.sleep(backoff.next())


def late_max(*, follow: bool) -> int:
    """How many pages in succession may time out: a followed feed reports the first one."""
    return 1 if follow else LATE_MAX


def wait_to_wire(seconds: float) -> Duration | None:
    """Encodes the wait of a request; 0 is absent."""
    return Duration(seconds=math.ceil(seconds)) if seconds > 0 else None


def call_timeout(wait: float) -> float | None:
    """The timeout of a call for which the server waits."""
    return wait + 10.0 if wait > 0 else None
