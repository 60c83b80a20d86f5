"""Compares durable writes and notifications of several systems; started by tools/bench-neighbours."""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from etcd_system import EtcdSystem
from nats_system import NatsSystem
from postgres_system import CONNECTIONS, PostgresSystem
from redis_system import RedisSystem
from system import System
from tidings_system import TidingsSystem

SYSTEMS: list[type[System]] = [TidingsSystem, PostgresSystem, EtcdSystem, RedisSystem, NatsSystem]
IN_FLIGHT = CONNECTIONS
"""Writes at a time, of the rate."""


@dataclass
class Figures:
    """Of all rounds of a system."""

    acknowledged: list[float] = field(default_factory=list)
    """Milliseconds to the acknowledgement, one write at a time."""
    notified: list[float] = field(default_factory=list)
    """Milliseconds until the listener has it."""
    rates: list[float] = field(default_factory=list)
    """Writes a second that were acknowledged and notified, of each round."""


class Listener:
    """Notes when each number is notified."""

    def __init__(self, system: System) -> None:
        self.times: dict[int, float] = {}
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._listen(system))

    async def _listen(self, system: System) -> None:
        async for number in system.notified():
            self.times[number] = time.perf_counter()
            self._changed.set()

    async def wait(self, numbers: range) -> None:
        """Waits until all are notified."""
        while not all(number in self.times for number in numbers):
            self._changed.clear()
            change = asyncio.create_task(self._changed.wait())
            await asyncio.wait([change, self._task], timeout=60, return_when=asyncio.FIRST_COMPLETED)
            if self._task.done():
                raise SystemExit(f"the listener ended: {self._task.exception()}")
            if not change.done():
                raise SystemExit(f"nothing was notified of {sum(n not in self.times for n in numbers)} writes")

    def end(self) -> None:
        self._task.cancel()


async def measure(system: System, figures: Figures, writes: int) -> None:
    """One round."""
    with tempfile.TemporaryDirectory() as folder:
        async with system.serve(Path(folder)):
            listener = Listener(system)
            # The first ones open connections, and wait until somebody listens.
            for number in range(20):
                await system.write(number)
            await listener.wait(range(20))
            single = range(20, 20 + writes // 10)
            for number in single:
                begin = time.perf_counter()
                await system.write(number)
                figures.acknowledged.append((time.perf_counter() - begin) * 1e3)
                await listener.wait(range(number, number + 1))
                figures.notified.append((listener.times[number] - begin) * 1e3)
            many = range(single.stop, single.stop + writes)
            numbers = iter(many)

            async def worker() -> None:
                for number in numbers:
                    await system.write(number)

            begin = time.perf_counter()
            await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
            await listener.wait(many)
            figures.rates.append(writes / (time.perf_counter() - begin))
            listener.end()


def main() -> None:
    arguments = argparse.ArgumentParser(prog="tools/bench-neighbours")
    arguments.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds of all systems (3)")
    arguments.add_argument("--writes", type=int, default=3_000, metavar="N", help="writes of a round (3000)")
    options = arguments.parse_args()
    figures = {system: Figures() for system in SYSTEMS}
    for _ in range(options.rounds):
        for system in SYSTEMS:
            asyncio.run(measure(system(), figures[system], options.writes))
    print(f"| | acknowledged p50 | notified p50 | p99 | {IN_FLIGHT} in flight | an acknowledged write is |")
    print("|---|---|---|---|---|---|")
    for system, found in figures.items():
        acknowledged, notified = statistics.median(found.acknowledged), statistics.median(found.notified)
        late = statistics.quantiles(found.notified, n=100)[98]
        rate = statistics.median(found.rates)
        print(f"| {system.name} | {acknowledged:.2f} ms | {notified:.2f} ms | {late:.2f} ms | {rate:,.0f}/s | {system.promise} |")


main()
