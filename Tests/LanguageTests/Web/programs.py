"""A real rpcd and rpcgw, and what stands before them, for the tests of one file."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import uuid

import requests

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = pathlib.Path(os.environ.get("TIDINGS_PROGRAMS", ROOT / ".build" / "release"))


def wait_for(what, condition, seconds=60):
    """Returns what the condition returns when it is true."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def free_port():
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return any_socket.getsockname()[1]


def is_open(port):
    with socket.socket() as any_socket:
        return any_socket.connect_ex(("127.0.0.1", port)) == 0


class Program:
    """A program, with what it writes."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        self.lines, self.errors = [], []
        self.readers = []
        for stream, lines in (self.process.stdout, self.lines), (self.process.stderr, self.errors):
            reader = threading.Thread(target=self.read, args=(stream, lines), daemon=True)
            reader.start()
            self.readers.append(reader)

    @staticmethod
    def read(stream, lines):
        for line in stream:
            lines.append(line)

    def first_line(self):
        def found():
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.process.args} ended: {''.join(self.errors)}")
            return self.lines

        return wait_for("the first line", found)[0].strip()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()


class Servers:
    """rpcd and rpcgw; with authentication, if keys are wanted."""

    def __init__(self, *gateway_options, keys=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tidings-web-"))
        self.programs = []
        data = self.folder / "data"
        server_options, own_options = ["--development"], []
        if keys:
            self.admin_key = self.folder / "admin.key"
            self.run("rpcctl", "keys", "generate", "--file", self.admin_key)
            public = self.public_key(self.admin_key)
            self.run("rpcd", "init", "--data", data, "--admin", "admin", "--admin-public-key", public)
            server_options = []
        server = self.start(
            "rpcd", *server_options, "--data", data, "--log-level", "warning",
            "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0",
        )
        self.rpc = next(w[4:] for w in server.first_line().split() if w.startswith("rpc="))
        if keys:
            self.server_key = data / "server.pub"
            key = self.folder / "gateway.key"
            self.administer("users", "create", "gateway", "--generate-key", key, "--role", "gateway")
            own_options = ["--key-file", key, "--server-key", self.server_key]
        self.gateway = self.start(
            "rpcgw", "--rpc", self.rpc, "--listen", "127.0.0.1:0", *own_options, *gateway_options
        )
        self.base_url = self.gateway.first_line().split()[-1]
        self.port = int(self.base_url.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in reversed(self.programs):
            program.stop()
        shutil.rmtree(self.folder)

    def start(self, name, *options):
        program = Program(PROGRAMS / name, *options)
        self.programs.append(program)
        return program

    def run(self, name, *options):
        done = subprocess.run(
            [PROGRAMS / name, *[str(o) for o in options]], capture_output=True, text=True, timeout=60
        )
        if done.returncode:
            raise RuntimeError(f"{name} {options}: {done.stderr}")
        return done.stdout

    def administer(self, *arguments):
        return self.run(
            "rpcctl", "--endpoint", self.rpc, "--server-key", self.server_key, "--key-file", self.admin_key, *arguments
        )

    @staticmethod
    def public_key(path):
        return next(
            line.split(" ", 1)[1].strip() for line in path.read_text().splitlines() if line.startswith("public-key ")
        )


class Caller:
    """Posts to endpoints as a user, through whatever stands at a URL."""

    def __init__(self, base_url, user="ada", container="houses", api_token="test", token=None):
        self.base_url, self.container = base_url, container
        self.session = requests.Session()
        self.query = {"ckAPIToken": api_token}
        if token or user:
            self.query["ckWebAuthToken"] = token or f"dev:{user}"

    def url(self, endpoint, scope="private"):
        return f"{self.base_url}/database/1/{self.container}/development/{scope}/{endpoint}"

    def post(self, endpoint, body=None, scope="private", status=200, **query):
        answer = self.session.post(
            self.url(endpoint, scope), params=self.query | query, data=json.dumps(body or {}), timeout=90
        )
        assert answer.status_code == status, f"{endpoint}: {answer.status_code} {answer.text}"
        return answer.json()

    def create(self, record_type, name=None, zone=None, scope="private", **fields):
        record = {
            "recordType": record_type,
            "recordName": name or str(uuid.uuid4()),
            "fields": {key: {"value": value} for key, value in fields.items()},
        }
        body = {"operations": [{"operationType": "create", "record": record}]}
        if zone:
            body["zoneID"] = {"zoneName": zone}
        return self.post("records/modify", body, scope)["records"][0]


class Events:
    """Reads server-sent events on a thread of its own."""

    def __init__(self, caller, position=None):
        headers = {"Accept": "text/event-stream"}
        if position:
            headers["Last-Event-ID"] = position
        self.answer = requests.get(
            f"{caller.base_url}/events/{caller.container}/development",
            params=caller.query,
            headers=headers,
            stream=True,
            timeout=90,
        )
        assert self.answer.status_code == 200, self.answer.text
        self.events, self.position = [], position
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        event = {}
        try:
            for line in self.answer.iter_lines(chunk_size=1, decode_unicode=True):
                name, _, value = line.partition(": ")
                if name == "id":
                    self.position = value
                if line:
                    event[name] = value
                elif event:
                    if "event" in event:
                        self.events.append(event)
                    event = {}
        except (requests.RequestException, AttributeError):
            pass

    def records(self):
        """The names of the records that notifications were about."""
        return [
            json.loads(event["data"])["ck"]["qry"]["rid"]
            for event in self.events
            if event["event"] == "notification" and "qry" in json.loads(event["data"])["ck"]
        ]

    def close(self):
        self.answer.close()


def subscribe(caller, record_type, scope="private"):
    """A subscription to new records of a type."""
    subscription = {
        "subscriptionID": f"new-{record_type}",
        "subscriptionType": "query",
        "query": {"recordType": record_type},
        "firesOn": ["create"],
        "notificationInfo": {"alertBody": "new"},
    }
    operations = [{"operationType": "create", "subscription": subscription}]
    return caller.post("subscriptions/modify", {"operations": operations}, scope)["subscriptions"][0]
