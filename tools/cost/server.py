"""The server whose work is counted."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import callgrind

CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")
"""The caches that are simulated, whatever the machine has.

The last one is about what a server gets of one that is shared.
"""

_PR_SET_PDEATHSIG = 1
_CPUCLOCK_SCHED = 2


@dataclass(frozen=True)
class Endpoints:
    """Where a server is called, and where it publishes."""

    rpc: str
    push: str


class Process:
    """A running rpcd."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        with log.open("a") as errors:
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment,
                preexec_fn=_end_with_parent,
            )
        assert self._process.stdout is not None
        words = self._process.stdout.readline().split()
        if words[:2] != ["rpcd", "ready"]:
            self.stop()
            raise RuntimeError(f"rpcd did not get ready:\n{log.read_text()}")
        values = dict(word.split("=", 1) for word in words[2:] if "=" in word)
        self.endpoints = Endpoints(values["rpc"], values["push"])

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def stop(self) -> None:
        """Lets it end."""
        self._process.terminate()
        self._process.wait()

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self._process.wait()

    def rest(self) -> None:
        """Waits until nothing is under way: all threads sleep, and have not run between two looks.

        Of this process, too, but for the thread that waits: libzmq's sends what it was given.
        """
        before = None
        while True:
            # In this order: what was sent has woken the server when the sender sleeps.
            awake = _awake(os.getpid()) - {threading.get_native_id()} | _awake(self.pid)
            now = time.clock_gettime(~self.pid << 3 | _CPUCLOCK_SCHED)
            if now == before and not awake:
                return
            before = now
            time.sleep(0.003)


@contextmanager
def plain(rpcd: Path, folder: Path) -> Iterator[Process]:
    """Runs a server that is not counted, to prepare a store."""
    process = Process(_arguments(rpcd, folder), _environment(), folder / "log")
    try:
        yield process
    finally:
        process.stop()


class CountedServer:
    """A server under callgrind, which does the same in each run."""

    def __init__(self, rpcd: Path, folder: Path, slow_clock: Path) -> None:
        self._folder = folder
        self._gate = (folder / "gate").open("w")
        self._parts = 0
        # Addresses and hashes are the same in each run. Valgrind runs one thread at a time; on one
        # core it is in each run the same one that goes on.
        valgrind = [
            "taskset",
            "--cpu-list",
            str(min(os.sched_getaffinity(0))),
            "setarch",
            "--addr-no-randomize",
            "valgrind",
            "--tool=callgrind",
            "--quiet",
            "--fair-sched=yes",
        ]
        valgrind += ["--cache-sim=yes", *CACHES, "--compress-strings=no", "--compress-pos=no"]
        valgrind += [f"--callgrind-out-file={folder}/cost", f"--vgdb-prefix={folder}/vgdb"]
        environment = _environment() | {
            "LD_PRELOAD": str(slow_clock),
            "TIDINGS_COST_GATE": str(folder / "gate"),
        }
        self._process = Process(valgrind + _arguments(rpcd, folder), environment, folder / "log")
        self.endpoints = self._process.endpoints

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lets what is sent meanwhile be there at once when the loop goes on."""
        fcntl.flock(self._gate, fcntl.LOCK_EX)
        try:
            yield
            self._process.rest()
        finally:
            fcntl.flock(self._gate, fcntl.LOCK_UN)

    def rest(self) -> None:
        """Waits until it has done everything."""
        self._process.rest()

    def take_profile(self) -> callgrind.Profile:
        """What the server did since the last time."""
        words = ["vgdb", f"--vgdb-prefix={self._folder}/vgdb", f"--pid={self._process.pid}", "dump"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"callgrind does not answer: {done.stderr}")
        self._parts += 1
        return callgrind.read(self._folder / f"cost.{self._parts}")

    def kill(self) -> None:
        """Ends it at once: with its clock, it would take its time."""
        self._process.kill()
        self._gate.close()


def _arguments(rpcd: Path, folder: Path) -> list[str]:
    words = [
        str(rpcd),
        "--rpc",
        "tcp://127.0.0.1:0",
        "--push",
        "tcp://127.0.0.1:0",
        "--data",
        str(folder / "data"),
    ]
    # Each save is to have its push.
    return [*words, "--log-level", "error", "--limit", "pushes-per-second-max=1000000"]


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "SWIFT_DETERMINISTIC_HASHING": "1"}


def _awake(pid: int) -> set[int]:
    """The threads of a process that do not sleep."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return {int(task.name) for task in tasks if _state(task) not in ("S", None)}


def _state(task: Path) -> str | None:
    try:
        return (task / "stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        # The thread has ended.
        return None


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
