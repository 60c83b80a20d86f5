"""Measures the Python client; started by tools/bench-python."""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from server import Server

import tidings

RECORDS = 2_000
"""Records that are fetched."""

Call = Callable[[int], Awaitable[object]]


@dataclass(frozen=True)
class Round:
    """What a round measured."""

    rate: float
    """Calls per second."""
    processor: float
    """Microseconds of this process a call."""


async def closed_loop(first: int, calls: int, in_flight: int, call: Call) -> Round:
    """Makes calls as fast as they are answered."""
    numbers = iter(range(first, first + calls))

    async def worker() -> None:
        for number in numbers:
            await call(number)

    start, processor = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(in_flight)))
    elapsed, processor = time.perf_counter() - start, time.process_time() - processor
    return Round(calls / elapsed, processor / calls * 1e6)


def record(number: int) -> tidings.Record:
    """A record of 8 fields and about 300 bytes, as those of tidings-bench."""
    fields: dict[str, tidings.Value] = {
        "address": "17 Marrow Lane, Hillsborough",
        "city": "city-0001",
        "price": 315_000,
        "bedrooms": 4,
        "area": 182.5,
        "listing": f"listing-{number:010}",
        "about": "a" * 100,
        "built": 1974,
    }
    return tidings.Record("House", f"house-{number:010}", fields)


async def measure(endpoint: str, options: argparse.Namespace) -> None:
    """Prints the figures."""
    async with tidings.Client(endpoint, user="bench", container="bench") as client:
        database = client.database()

        async def saves(number: int) -> None:
            await database.save(record(number))

        async def fetches(number: int) -> None:
            await database.fetch(f"house-{number % RECORDS:010}")

        await closed_loop(0, RECORDS, options.in_flight, saves)
        next_number = RECORDS
        calls: list[tuple[str, Call]] = [("fetch", fetches), ("save", saves)]
        for name, call in calls:
            rounds = []
            for _ in range(options.rounds):
                rounds.append(
                    await closed_loop(next_number, options.calls, options.in_flight, call)
                )
                next_number += options.calls
            rates = sorted(one.rate for one in rounds)
            print(
                f"{name}: {statistics.median(rates):,.0f} calls/s "
                f"({rates[0]:,.0f} to {rates[-1]:,.0f}), "
                f"{statistics.median(one.processor for one in rounds):.1f} µs of the client a call"
            )
            if options.profile:
                profile = cProfile.Profile()
                profile.enable()
                await closed_loop(next_number, options.calls, options.in_flight, call)
                profile.disable()
                next_number += options.calls
                pstats.Stats(profile).sort_stats("tottime").print_stats(25)


def main() -> None:
    """Starts a server, and measures."""
    parser = argparse.ArgumentParser(prog="tools/bench-python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=10_000, help="calls of a round")
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    # On the disk of this folder, not in memory.
    with tempfile.TemporaryDirectory(dir=".") as folder, Server(Path(folder)) as server:
        asyncio.run(measure(server.rpc, options))


if __name__ == "__main__":
    main()
