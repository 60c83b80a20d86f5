"""Measures what a user sees of faults of networks and servers; started by tools/check-networks."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile

import calls
import connecting
import gateways
import notifications
import spaces
from situation import ALL, Seen, Situation

GROUPS = {
    "A connection is made": connecting,
    "Calls are under way": calls,
    "A program waits for notifications": notifications,
    "Clients of the gateway": gateways,
    "In a network of its own": spaces,
}
IN_SPACE = "TIDINGS_NETWORK_SPACE"
"""Set in a namespace that this program may change."""


def enter_namespaces() -> None:
    """Starts again in namespaces where this machine lets one; returns in them, or without any."""
    if IN_SPACE in os.environ:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        with tempfile.NamedTemporaryFile("w", delete=False) as hosts:
            hosts.write("127.0.0.1 localhost\n::1 localhost\n")
        subprocess.run(["mount", "--bind", hosts.name, "/etc/hosts"], check=True)
        return
    space = ["unshare", "--net", "--mount", "--propagation", "private"]
    trial = "ip link set lo up && iptables -A INPUT -m length --length 9 -j DROP"
    if subprocess.run([*space, "sh", "-c", trial], capture_output=True).returncode == 0:
        os.environ[IN_SPACE] = "1"
        os.execvp("unshare", [*space, sys.executable, *sys.argv])


async def measured(one: Situation, room: asyncio.Semaphore) -> Seen:
    """Tries a situation; an error of this program is what is seen."""
    async with room:
        try:
            seen = await asyncio.wait_for(one.run(), 300)
        except Exception as error:
            seen = Seen(f"it could not be measured: {error!r}", float("inf"))
        print(f"{one.name}: {seen.what} ({seen.seconds:.1f} s)", file=sys.stderr)
        return seen


async def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/check-networks")
    parser.add_argument("--only", default="", help="situations with this text in their name")
    parser.add_argument("--together", type=int, default=6, help="so many at a time (6)")
    arguments = parser.parse_args()
    if IN_SPACE not in os.environ:
        print("no network namespaces here: some situations are left out", file=sys.stderr)
    chosen = [
        one
        for one in ALL
        if arguments.only in one.name
        and (IN_SPACE in os.environ or one.run.__module__ != spaces.__name__)
    ]
    room = asyncio.Semaphore(arguments.together)
    seen = await asyncio.gather(*(measured(one, room) for one in chosen))
    print("| situation | what a user sees | after |\n|---|---|---|")
    for title, group in GROUPS.items():
        rows = [
            (one, found)
            for one, found in zip(chosen, seen, strict=True)
            if one.run.__module__ == group.__name__
        ]
        if rows:
            print(f"| **{title}** | | |")
        for one, found in rows:
            print(f"| {one.name} | {found.what} | {found.seconds:.1f} s |")
    late = [
        f"{one.name}: {found.seconds:.1f} s, at most {one.seconds_max:.0f}"
        for one, found in zip(chosen, seen, strict=True)
        if found.seconds > one.seconds_max
    ]
    for line in late:
        print(line, file=sys.stderr)
    return 1 if late else 0


if __name__ == "__main__":
    enter_namespaces()
    sys.exit(asyncio.run(main()))
