"""Fixtures: one server for all tests, and a browser for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import Browser
from world import Development, World


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A server, and a gateway before it; tests use users or names of their own."""
    world = World(tmp_path_factory.mktemp("world"))
    yield world
    world.end()


@pytest.fixture
def open_browser(world: World, tmp_path: Path) -> Iterator[Callable[..., Browser]]:
    """Opens browsers, which must end without a message in the console and without a report."""
    browsers: list[Browser] = []

    def open_one(width: int = 1280, height: int = 900) -> Browser:
        browsers.append(Browser(world, tmp_path, width, height))
        return browsers[-1]

    reports = len(world.reports())
    yield open_one
    messages = [message for browser in browsers for message in browser.console()]
    for browser in browsers:
        browser.quit()
    assert messages == []
    assert world.reports()[reports:] == []


@pytest.fixture
def browser(open_browser: Callable[..., Browser]) -> Browser:
    """A browser that nobody has signed in to yet."""
    return open_browser()


@pytest.fixture
def development(tmp_path: Path) -> Iterator[Development]:
    """A server without keys."""
    development = Development(tmp_path)
    yield development
    development.end()


@pytest.fixture
def user(world: World, request: pytest.FixtureRequest) -> str:
    """A developer that no other test has."""
    name = request.node.name.replace("_", "-").split("[")[0][:60]
    world.create_user(name, "developer")
    return name
