"""A real ``rpcd`` process."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from ports import ReservedPort

import tidings

ROOT = Path(__file__).resolve().parents[3]
"""The repository."""


def program(name: str) -> Path:
    """The path of a built program, in ``TIDINGS_BIN`` or ``.build/release``.

    With ``TIDINGS_TEST_STORE=postgresql`` servers have databases on that of
    ``TIDINGS_TEST_DATABASE``.
    """
    if name == "rpcd" and os.environ.get("TIDINGS_TEST_STORE") == "postgresql":
        return ROOT / "tools" / "rpcd-on-postgres"
    folder = Path(os.environ.get("TIDINGS_BIN", ROOT / ".build" / "release"))
    path = folder / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built: run swift build --product {name}")
    return path


def _end_with_parent() -> None:
    """Makes the system kill this process if the tests are killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


_PR_SET_PDEATHSIG = 1


class Server:
    """A server whose data folder and ports stay the same across restarts."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self._ports = (ReservedPort(), ReservedPort())
        self.rpc, self.push = (port.endpoint for port in self._ports)
        self._arguments = arguments
        self._process: subprocess.Popen[str] | None = None

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "data"

    def start(self) -> None:
        """Starts the process, and waits until it is ready."""
        # The environment of the tests must not set options.
        variables = {k: v for k, v in os.environ.items() if not k.startswith("RPCD_")}
        command = [program("rpcd"), "--rpc", self.rpc, "--push", self.push]
        command += ["--data", self.data, "--log-level", "warning", *self._arguments]
        log = (self.folder / "rpcd.log").open("a+")
        self._process = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=variables,
            preexec_fn=_end_with_parent,
        )
        with log:
            assert self._process.stdout is not None
            words = self._process.stdout.readline().split()
            if words[:2] != ["rpcd", "ready"]:
                log.seek(0)
                raise AssertionError(f"rpcd is not ready: {words} {log.read()}")

    def end(self, number: int = signal.SIGTERM) -> None:
        """Sends a signal and waits for the exit; SIGKILL simulates a power failure."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(timeout=600)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stops the process in the middle of everything, and continues it."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        status = Path(f"/proc/{self._process.pid}/status")
        while "State:\tT" not in status.read_text():
            time.sleep(0.001)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kills the process."""
        self.end(signal.SIGKILL)

    def client(self, **settings: Any) -> tidings.Client:
        """A client of this server for a busy machine; only pushes let it look at the log."""
        patient = {"timeout": 600.0, "connect_timeout": 600.0, "reconcile_interval": 3600.0}
        return tidings.Client(self.rpc, **{**patient, **settings})

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
