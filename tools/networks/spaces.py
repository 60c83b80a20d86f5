"""Situations that need a network of their own: Linux network and mount namespaces, as root."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import time
from collections.abc import AsyncIterator
from pathlib import Path

import tidings
from tidings import Record
from tidings.rpc.v1.health_pb2 import CheckRequest

from calls import fetch, fill
from situation import Seen, client, save, serving, situation, timed

HOSTS = Path("/etc/hosts")


@contextlib.asynccontextmanager
async def dropping(*condition: str) -> AsyncIterator[None]:
    """Drops packets of this namespace that meet a condition of iptables."""
    rule = ["INPUT", "-p", "tcp", *condition, "-j", "DROP"]
    await asyncio.to_thread(subprocess.run, ["iptables", "-A", *rule], check=True)
    try:
        yield
    finally:
        await asyncio.to_thread(subprocess.run, ["iptables", "-D", *rule], check=True)


def port(endpoint: str) -> str:
    return endpoint.rpartition(":")[2]


@situation("one packet of twenty is lost; 100 saves, one after the other", 60)
async def loss() -> Seen:
    async with serving() as server, client(server.rpc) as caller:
        await save(server, "first")
        async with (
            dropping(
                "--dport",
                port(server.rpc),
                "-m",
                "statistic",
                "--mode",
                "random",
                "--probability",
                "0.05",
            ),
            dropping(
                "--sport",
                port(server.rpc),
                "-m",
                "statistic",
                "--mode",
                "random",
                "--probability",
                "0.05",
            ),
        ):
            begin, longest = time.monotonic(), 0.0
            for number in range(100):
                seen = await timed(caller.database().save(Record("Notes", f"n{number}")))
                assert "fails" not in seen.what, seen
                longest = max(longest, seen.seconds)
            total = time.monotonic() - begin
        return Seen(f"all succeed, the slowest in {longest:.1f} s", total)


@situation("packets above 1,000 bytes vanish; a feed of records of 200 bytes is followed", 120)
async def large_packets() -> Seen:
    async with serving() as server:
        await fill(server.rpc, 20, 200)
        large = ("--sport", port(server.rpc), "-m", "length", "--length", "1000:65535")
        async with dropping(*large), client(server.rpc) as caller:
            return await timed(fetch(caller, 20, follow=True), "pages shrink until they pass")


@situation("a connection attempt's packets vanish", 5)
async def no_answer() -> Seen:
    async with (
        serving() as server,
        dropping("--dport", port(server.rpc)),
        client(server.rpc) as caller,
    ):
        return await timed(caller.health.check(CheckRequest()))


@situation("the server's name moves to another address, and the old one is gone", 30)
async def name_moves() -> Seen:
    async with serving() as server:
        number = port(server.rpc)
        old = HOSTS.read_text()
        command = [
            "iptables",
            "-t",
            "nat",
            "-A",
            "OUTPUT",
            "-p",
            "tcp",
            "-d",
            "127.0.0.9",
            "--dport",
            number,
        ]
        await asyncio.to_thread(
            subprocess.run, [*command, "-j", "DNAT", "--to", f"127.0.0.1:{number}"], check=True
        )
        HOSTS.write_text(f"{old}\n127.0.0.9 moving.test\n")
        try:
            async with client(f"tcp://moving.test:{number}") as caller:
                await caller.health.check(CheckRequest())
                HOSTS.write_text(f"{old}\n127.0.0.1 moving.test\n")
                async with dropping("-d", "127.0.0.9"), dropping("-s", "127.0.0.9"):

                    async def until_answered() -> None:
                        while True:
                            with contextlib.suppress(tidings.TidingsError):
                                await caller.health.check(CheckRequest(), timeout=2.0)
                                return

                    return await timed(until_answered(), "calls are answered at the new address")
        finally:
            HOSTS.write_text(old)
