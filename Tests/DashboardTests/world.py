"""A real server with keys, a gateway before it, and rpcctl, which is another process than the browser."""

from __future__ import annotations

import ctypes
import json
import os
import queue
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""

PATIENCE = 120.0
"""Seconds; long enough for a busy machine."""

_PR_SET_PDEATHSIG = 1


def program(name: str) -> str:
    """The path of a built program, in ``TIDINGS_BIN`` or ``.build/release``."""
    path = Path(os.environ.get("TIDINGS_BIN", ROOT / ".build" / "release")) / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built: run swift build --product {name}")
    return str(path)


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """A process that says when it is ready."""

    def __init__(self, folder: Path, name: str, *arguments: str, **environment: str) -> None:
        self.log = folder / f"{name}.log"
        # The environment of the tests must not set options.
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("RPCD_", "RPCGW_"))}
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [program(name), *arguments],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**variables, **environment},
                preexec_fn=_end_with_parent,
            )
        lines: queue.Queue[str] = queue.Queue()
        output = self.process.stdout
        assert output is not None
        threading.Thread(target=lambda: lines.put(output.readline()), daemon=True).start()
        self.ready = lines.get(timeout=PATIENCE).strip()
        if not self.ready.startswith(f"{name} ready"):
            raise AssertionError(f"{name} is not ready: {self.ready} {self.log.read_text()}")

    def end(self) -> None:
        """Kills the process."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


class World:
    """A server whose users are ``root`` (admin), ``ada`` (developer), ``grace``, and ``sender`` (sender)."""

    def __init__(self, folder: Path, *gateway_options: str) -> None:
        self.folder = folder
        data = folder / "data"
        self.run(program("rpcd"), "init", "--data", str(data), "--admin", "root")
        self.server_key = str(data / "server.pub")
        self.keys = {"root": str(data / "root.key")}
        self.server = Program(
            folder, "rpcd", "--data", str(data), "--rpc", "tcp://127.0.0.1:0",
            "--push", "tcp://127.0.0.1:0", "--log-level", "warning",
        )  # fmt: skip
        self.rpc = next(word[4:] for word in self.server.ready.split() if word.startswith("rpc="))
        self.create_user("gateway", "gateway")
        self.create_user("ada", "developer")
        self.create_user("grace")
        self.create_user("sender", "sender")
        self.gateway = Program(
            folder, "rpcgw", "--rpc", self.rpc, "--listen", "127.0.0.1:0",
            "--key-file", self.keys["gateway"], "--server-key", self.server_key, *gateway_options,
        )  # fmt: skip
        self.url = self.gateway.ready.split()[-1]

    @staticmethod
    def run(*command: str, text: str | None = None, patience: float = PATIENCE) -> str:
        """Runs a command, and returns what it printed."""
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=patience)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def create_user(self, name: str, *roles: str) -> None:
        """Creates a user with a key."""
        self.keys[name] = str(self.folder / f"{name}.key")
        options = [option for role in roles for option in ("--role", role)]
        self.ctl("root", "users", "create", name, "--generate-key", self.keys[name], *options)

    def ctl(
        self, user: str, *arguments: str, text: str | None = None, patience: float = PATIENCE
    ) -> str:
        """Runs rpcctl as a user."""
        return self.run(
            program("rpcctl"), *arguments, "--endpoint", self.rpc,
            "--key-file", self.keys[user], "--server-key", self.server_key, text=text,
            patience=patience,
        )  # fmt: skip

    def call(self, user: str, method: str, request: dict[str, Any]) -> dict[str, Any]:
        """Calls a method as a user, from another process."""
        return json.loads(self.ctl(user, "call", method, json.dumps(request)))

    def save(self, user: str, *records: dict[str, Any], scope: str = "PRIVATE") -> dict[str, Any]:
        """Saves records, whatever the server has."""
        answer = self.call(
            user,
            "RecordService/ModifyRecords",
            {
                "databaseId": {"scope": f"DATABASE_SCOPE_{scope}"},
                "recordsToSave": list(records),
                "savePolicy": "SAVE_POLICY_ALL_KEYS",
            },
        )
        assert not [one for one in answer["results"] if "error" in one], answer
        return answer

    def give_up(self, target: str, reason: str) -> None:
        """Gives up what waits for a delivery target, as a sender does."""
        for _ in range(20):
            leased = self.call("sender", "DeliveryService/LeaseDeliveries", {"limit": 50})
            settlements = [
                {"leaseId": one["leaseId"], "givenUp": True, "error": reason}
                for one in leased.get("deliveries", [])
                if one["targetId"] == target
            ]
            if settlements:
                request = {"settlements": settlements}
                self.call("sender", "DeliveryService/SettleDeliveries", request)
                return
            request = {"generation": leased.get("generation", "0"), "timeout": "5s"}
            self.call("sender", "DeliveryService/AwaitDeliveries", request)
        raise AssertionError(f"nothing was leased for {target}")

    def link(self, user: str) -> str:
        """A link that signs a user in to the dashboard."""
        answer = json.loads(self.ctl(user, "dashboard", "--print", "--url", self.url))
        return str(answer["url"])

    def reports(self) -> list[str]:
        """What browsers reported of the content security policy."""
        lines = self.gateway.log.read_text().splitlines()
        return [line for line in lines if "content security policy report" in line]

    def end(self) -> None:
        """Ends the processes."""
        self.gateway.end()
        self.server.end()


class Development:
    """A server and a gateway in development mode, where ``--as`` names the user.

    With the address of a database the server is a node of it.
    """

    def __init__(self, folder: Path, node: str = "", database: str = "") -> None:
        options = ["--node-name", node] if node else []
        environment = {"RPCD_DATABASE": database} if database else {}
        self.server = Program(
            folder, "rpcd", "--data", str(folder / "development"), "--rpc", "tcp://127.0.0.1:0",
            "--push", "tcp://127.0.0.1:0", "--log-level", "warning", *options, **environment,
        )  # fmt: skip
        self.rpc = next(word[4:] for word in self.server.ready.split() if word.startswith("rpc="))
        self.gateway = Program(folder, "rpcgw", "--rpc", self.rpc, "--listen", "127.0.0.1:0")
        self.url = self.gateway.ready.split()[-1]

    def link(self, user: str) -> str:
        """A link that signs a user in to the dashboard."""
        answer = World.run(
            program("rpcctl"), "dashboard", "--print", "--url", self.url, "--as", user,
            "--endpoint", self.rpc,
        )  # fmt: skip
        return str(json.loads(answer)["url"])

    def end(self) -> None:
        """Ends the processes."""
        self.gateway.end()
        self.server.end()


def record(name: str, kind: str, /, **fields: Any) -> dict[str, Any]:
    """A record with values in the form of the contract."""
    return {"recordId": {"recordName": name}, "recordType": kind, "fields": fields}
