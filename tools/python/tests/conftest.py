"""Fixtures: real servers, and an event loop for each test."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from server import Server

import tidings

PATIENCE = 600.0
"""Seconds; long enough for a busy machine, so a test that exceeds it hangs."""


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs tests that are coroutines, each on its own loop."""
    function = pyfuncitem.obj
    if not inspect.iscoroutinefunction(function):
        return None
    names = inspect.signature(function).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}

    async def bounded() -> None:
        async with asyncio.timeout(PATIENCE) if hasattr(asyncio, "timeout") else _never():
            await function(**arguments)

    asyncio.run(bounded())
    return True


class _never:
    """Replaces ``asyncio.timeout`` in Python 3.10, without a timeout."""

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *exception: Any) -> None: ...


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server in development mode, shared by tests that do not stop it; use a separate user."""
    with Server(tmp_path_factory.mktemp("shared")) as server:
        yield server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server in development mode for one test; a restart keeps its ports."""
    with Server(tmp_path) as server:
        yield server


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A user that no other test has."""
    name = request.node.name.replace("[", "-").replace("]", "")
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)[:200]


ClientMaker = Callable[..., tidings.Client]


@pytest.fixture
def make_client(shared_server: Server, user: str) -> ClientMaker:
    """Makes clients of the shared server."""

    def make(**settings: Any) -> tidings.Client:
        return shared_server.client(**{"user": user, **settings})

    return make


__all__ = ["AsyncIterator", "ClientMaker"]
