"""Measures deliveries to targets; tools/bench-deliveries runs it."""

from __future__ import annotations

import argparse
import asyncio
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable

import tidings
from tidings.v1 import database_pb2, delivery_service_pb2, notification_pb2, record_pb2
from tidings.v1 import record_service_pb2, subscription_service_pb2

PROGRAMS = pathlib.Path(os.environ["TIDINGS_BIN"])
TARGETS_PER_USER = 20
IN_FLIGHT = 128

NGINX = """
worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  log_format time '$msec $uri'; access_log {folder}/access.log time; keepalive_requests 1000000000;
  server {{ listen 127.0.0.1:{port}; location / {{ return 204; }} }}
}}
"""


def processor_seconds(pid: int) -> float:
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid: int) -> float:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def report(what: str, *figures: str) -> None:
    print(f"{what:58} {'  '.join(figures)}", flush=True)


async def each(items: Iterable[int], call: Callable[[int], Awaitable[object]]) -> float:
    """Makes calls, some at a time; returns how many seconds that took."""
    rest = iter(items)

    async def worker() -> None:
        for item in rest:
            await call(item)

    started = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    return time.perf_counter() - started


class Receiver:
    """nginx, and what it has logged."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.port, self.log = free_port(), folder / "access.log"
        configuration = folder / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, port=self.port), encoding="utf-8")
        self.log.touch()
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-g", "daemon off;", "-c", str(configuration)])

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    def clear(self) -> None:
        os.truncate(self.log, 0)

    def count(self) -> int:
        return self.log.read_bytes().count(b"\n")

    async def wait(self, count: int, seconds: float = 300) -> None:
        end = time.perf_counter() + seconds
        while self.count() < count:
            if time.perf_counter() > end:
                raise SystemExit(f"{self.count()} of {count} deliveries came within {seconds} s")
            await asyncio.sleep(0.02)

    def last(self) -> float:
        """When the newest request came, in seconds since 1970."""
        return float(self.log.read_text(encoding="utf-8").splitlines()[-1].split()[0])


class World:
    """A server with its data, a sender, and a client that calls for all users."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder, self.port, self.receiver = folder, free_port(), Receiver(folder)
        self.server: subprocess.Popen[str] | None = None
        self.sender: subprocess.Popen[str] | None = None
        self.serial = 0

    @property
    def endpoint(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start_server(self) -> float:
        """Starts it; returns how many milliseconds it took."""
        started = time.perf_counter()
        self.server = self._start(
            "rpcd", "--rpc", self.endpoint, "--push", "tcp://127.0.0.1:0", "--data", self.folder / "data",
            "--log-level", "error", "--limit", "delivery-targets-max=10000000",
        )
        return (time.perf_counter() - started) * 1e3

    def start_sender(self) -> None:
        self.sender = self._start(
            "rpcdeliver", "--rpc", self.endpoint, "--allow-http", "--allow-addresses", "127.0.0.0/8",
            "--in-flight-per-host", "64",
        )

    def _start(self, program: str, *arguments: object) -> subprocess.Popen[str]:
        words = [str(PROGRAMS / program), *(str(word) for word in arguments)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout is not None
        if "ready" not in process.stdout.readline():
            raise SystemExit(f"{program} did not get ready")
        return process

    def stop_sender(self) -> None:
        self._stop(self.sender)
        self.sender = None

    def stop_server(self) -> None:
        self._stop(self.server)
        self.server = None

    def stop(self) -> None:
        self.stop_sender()
        self.stop_server()
        self._stop(self.receiver.process)

    @staticmethod
    def _stop(process: subprocess.Popen[str] | None) -> None:
        if process is not None:
            process.terminate()
            process.wait(60)

    def client(self) -> tidings.Client:
        return tidings.Client(self.endpoint, user="ada", device="laptop", timeout=120, connect_timeout=30)

    async def subscribe(self, client: tidings.Client, user: str, scope: int, record_type: str) -> None:
        subscription = notification_pb2.Subscription(
            subscription_id="houses", type=notification_pb2.SUBSCRIPTION_TYPE_QUERY, record_type=record_type,
            fires_on_record_creation=True,
        )
        answer = await client.subscriptions.modify_subscriptions(
            subscription_service_pb2.ModifySubscriptionsRequest(
                database_id=database_pb2.DatabaseID(scope=scope), subscriptions_to_save=[subscription]
            ),
            metadata={"tidings-user": user},
        )
        assert answer.results[0].WhichOneof("outcome") != "error", answer

    async def add(self, client: tidings.Client, user: str, path: str, device: str = "phone") -> None:
        await client.deliveries.add_delivery_target(
            delivery_service_pb2.AddDeliveryTargetRequest(
                address=delivery_service_pb2.DeliveryAddress(
                    webhook=delivery_service_pb2.WebhookAddress(url=self.receiver.url(path))
                )
            ),
            metadata={"tidings-user": user, "tidings-device": device},
        )

    async def save(self, client: tidings.Client, record_type: str = "Houses", scope: int = 0) -> None:
        self.serial += 1
        record = record_pb2.Record(record_type=record_type)
        record.record_id.record_name = f"r{self.serial}"
        record.fields["city"].string_value = "Bern"
        await client.records.modify_records(
            record_service_pb2.ModifyRecordsRequest(
                database_id=database_pb2.DatabaseID(scope=scope), records_to_save=[record]
            )
        )

    async def save_cost(self, client: tidings.Client, count: int) -> str:
        """rpcd's processor time of a save, while some are in flight."""
        assert self.server is not None
        await each(range(count // 4), lambda _: self.save(client))
        before = processor_seconds(self.server.pid)
        await each(range(count), lambda _: self.save(client))
        return f"{(processor_seconds(self.server.pid) - before) / count * 1e6:6.1f} us"

    async def latency(self, client: tidings.Client, count: int = 200) -> str:
        """The time from a save to its request, one after the other."""
        times = []
        for _ in range(count):
            self.receiver.clear()
            began = time.time()
            await self.save(client)
            await self.receiver.wait(1)
            times.append((self.receiver.last() - began) * 1e3)
        times.sort()
        return f"p50 {statistics.median(times):.1f} ms, p99 {times[int(len(times) * 0.99)]:.1f} ms"


class Waits:
    """Fetches a record over and over: the longest time is how long other calls waited."""

    def __init__(self, client: tidings.Client) -> None:
        self.client, self.longest, self.is_over = client, 0.0, False

    async def __aenter__(self) -> Waits:
        self.task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.is_over = True
        await self.task

    async def _run(self) -> None:
        request = record_service_pb2.FetchRecordsRequest()
        request.record_ids.add(record_name="r1")
        while not self.is_over:
            began = time.perf_counter()
            await self.client.records.fetch_records(request)
            self.longest = max(self.longest, (time.perf_counter() - began) * 1e3)
            await asyncio.sleep(0.001)


async def without_targets(world: World, arguments: argparse.Namespace) -> None:
    async with world.client() as client:
        await world.subscribe(client, "ada", 0, "Houses")
        report("save that fires, no targets, no sender", await world.save_cost(client, arguments.saves))
        world.start_sender()
        report("save that fires, no targets, a sender waits", await world.save_cost(client, arguments.saves))
        await world.add(client, "ada", "ada")
        report("save to request, one target", await world.latency(client))
        world.stop_sender()
    world.stop_server()
    report("start of rpcd, one target", f"{world.start_server():.0f} ms")


async def add_targets(world: World, count: int) -> None:
    assert world.server is not None
    async with world.client() as client:

        async def add(number: int) -> None:
            user, device = divmod(number, TARGETS_PER_USER)
            await world.add(client, f"user-{user}", f"t/{number}", f"device-{device}")

        seconds = await each(range(count), add)
        report(f"adding {count} targets", f"{count / seconds:.0f} a second")
    world.stop_server()
    report(f"start of rpcd, {count} targets", f"{world.start_server():.0f} ms")


async def with_targets(world: World, arguments: argparse.Namespace) -> None:
    assert world.server is not None
    async with world.client() as client:
        before = resident_megabytes(world.server.pid)
        await world.save(client)
        async with Waits(client) as waits:
            began = time.perf_counter()
            await client.deliveries.lease_deliveries(delivery_service_pb2.LeaseDeliveriesRequest(limit=1))
            took = (time.perf_counter() - began) * 1e3
        report(
            "first call of a sender", f"{took:.0f} ms", f"others waited {waits.longest:.0f} ms",
            f"memory {before:.0f} -> {resident_megabytes(world.server.pid):.0f} MB",
        )
        times = []
        for _ in range(200):
            began = time.perf_counter()
            page = await client.deliveries.fetch_delivery_targets(
                delivery_service_pb2.FetchDeliveryTargetsRequest(),
                metadata={"tidings-user": "user-7"},
            )
            times.append((time.perf_counter() - began) * 1e3)
        report(f"page of {len(page.targets)} targets", f"p50 {statistics.median(times):.2f} ms")
        world.start_sender()
        report("save to request, one target of all", await world.latency(client))
        world.stop_sender()
        listed = await client.deliveries.fetch_delivery_targets(
            delivery_service_pb2.FetchDeliveryTargetsRequest()
        )
        for target in listed.targets:
            await client.deliveries.remove_delivery_target(
                delivery_service_pb2.RemoveDeliveryTargetRequest(target_id=target.target_id)
            )
        report("save that fires, all targets of others, no sender", await world.save_cost(client, arguments.saves))
        world.start_sender()
        report(
            "save that fires, all targets of others, a sender waits", await world.save_cost(client, arguments.saves)
        )
        world.stop_sender()


async def throughput(world: World, count: int) -> None:
    assert world.server is not None
    async with world.client() as client:
        for number in range(10):
            await world.add(client, "ada", f"ada/{number}")
        await each(range(count // 10), lambda _: world.save(client))
        world.receiver.clear()
        before = processor_seconds(world.server.pid)
        async with Waits(client) as waits:
            began = time.perf_counter()
            world.start_sender()
            assert world.sender is not None
            await world.receiver.wait(count)
            seconds = time.perf_counter() - began
        server = (processor_seconds(world.server.pid) - before) / count * 1e6
        sender = processor_seconds(world.sender.pid) / count * 1e6
        report(
            f"{count} deliveries to 10 webhooks", f"{count / seconds:.0f} a second",
            f"processor: rpcd {server:.0f} us, rpcdeliver {sender:.0f} us", f"others waited {waits.longest:.0f} ms",
        )
        world.stop_sender()


async def everybody(world: World, count: int) -> None:
    assert world.server is not None
    public = database_pb2.DATABASE_SCOPE_PUBLIC
    async with world.client() as client:
        await world.save(client, "Posts", public)
        users = range(count // TARGETS_PER_USER)
        await each(users, lambda number: world.subscribe(client, f"user-{number}", public, "Posts"))
        world.start_sender()
        assert world.sender is not None
        world.receiver.clear()
        before = processor_seconds(world.server.pid)
        async with Waits(client) as waits:
            began = time.perf_counter()
            await world.save(client, "Posts", public)
            await world.receiver.wait(count)
            seconds = time.perf_counter() - began
        server = (processor_seconds(world.server.pid) - before) / count * 1e6
        report(
            f"a public change to all {count} targets", f"{seconds:.1f} s, {count / seconds:.0f} a second",
            f"processor: rpcd {server:.0f} us, rpcdeliver {processor_seconds(world.sender.pid) / count * 1e6:.0f} us",
            f"others waited {waits.longest:.0f} ms",
            f"memory {resident_megabytes(world.server.pid):.0f} and {resident_megabytes(world.sender.pid):.0f} MB",
        )
        world.stop_sender()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--targets", type=int, default=100_000)
    parser.add_argument("--saves", type=int, default=20_000)
    parser.add_argument("--deliveries", type=int, default=20_000)
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tidings-deliveries-"))
    world = World(folder)
    try:
        world.start_server()
        await without_targets(world, arguments)
        await add_targets(world, arguments.targets)
        await with_targets(world, arguments)
        await throughput(world, arguments.deliveries)
        await everybody(world, arguments.targets)
    finally:
        world.stop()
        shutil.rmtree(folder)


asyncio.run(main())
