"""Measures rpcgw beside nginx and beside rpcd without a gateway; tools/bench-gateway runs it."""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

PROGRAMS = pathlib.Path(os.environ["TIDINGS_BIN"])
TOKENS = "ckAPIToken=x&ckWebAuthToken=dev:ada"
PATH = "/database/1/app/development/private"

NGINX = """
worker_processes 2; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; default_type application/json;
  server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""

LOOKUP = """wrk.method = "POST"; wrk.body = '{"records":[{"recordName":"a"}]}'"""

MODIFY = """
local n = 0
request = function()
  n = n + 1
  return wrk.format("POST", nil, nil, '{"operations":[{"operationType":"create","record":{"recordType":"Houses",'
    .. '"fields":{"n":{"value":' .. n .. ',"type":"INT64"}}}}]}')
end
"""


POCKETBASE_CREATE = """
local n = 0
wrk.headers["Content-Type"] = "application/json"
request = function()
  n = n + 1
  return wrk.format("POST", nil, nil, '{"n":' .. n .. '}')
end
"""


class Programs:
    def __init__(self, folder):
        self.folder, self.running = folder, []

    def start(self, *command):
        process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.running.append(process)
        return process

    def stop(self):
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as text:
        fields = text.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def milliseconds(text):
    found = re.match(r"([\d.]+)(us|ms|s)", text)
    if not found:
        # Nothing was answered in time.
        return float("nan")
    number, unit = found.groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def wrk(url, connections, seconds, script=None, pid=None):
    before = processor_seconds(pid) if pid else 0
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    text = subprocess.run(
        command + (["-s", script] if script else []) + [url], capture_output=True, text=True, check=True
    ).stdout
    assert "Non-2xx" not in text, text
    count = max(1, int(re.search(r"(\d+) requests in", text)[1]))
    return {
        "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]),
        "p50": milliseconds(re.search(r"50%\s+(\S+)", text)[1]),
        "p99": milliseconds(re.search(r"99%\s+(\S+)", text)[1]),
        "processor": (processor_seconds(pid) - before) / count * 1e6 if pid else 0,
    }


def bench(calls, *arguments):
    """The figures of a round of tidings-bench, which starts programs of its own, by name; latencies in ms."""
    text = subprocess.run(
        [PROGRAMS / "tidings-bench", "--rounds", "1", "--calls", str(calls), "-o", "json", *arguments],
        capture_output=True, text=True, check=False,
    ).stdout
    figures = {}
    for figure in json.loads(text)["figures"]:
        for key, name in (("measured", figure["name"]), ("baseline", figure["name"] + ".base")):
            if key in figure:
                figures[name] = figure[key]
    return {
        name: {"rate": f["perSecond"], "p50": f["p50"] / 1e3, "p99": f["p99"] / 1e3} for name, f in figures.items()
    }


class Web:
    """Calls the gateway."""

    def __init__(self, port):
        self.calls = http.client.HTTPConnection("127.0.0.1", port)

    def post(self, endpoint, body):
        self.calls.request("POST", f"{PATH}/{endpoint}?{TOKENS}", json.dumps(body))
        answer = self.calls.getresponse()
        text = answer.read()
        assert answer.status == 200, text
        return json.loads(text)


class PocketBase:
    """A PocketBase server with one record in one collection, which everybody may read and write."""

    def __init__(self, program, folder, programs):
        data = ["--dir", folder / "pocketbase"]
        login = {"identity": "bench@example.org", "password": "0123456789"}
        subprocess.run(
            [program, "superuser", "upsert", *login.values(), *data], check=True, capture_output=True
        )
        self.port = free_port()
        self.process = programs.start(program, "serve", "--http", f"127.0.0.1:{self.port}", *data)
        wait_for(self.port)
        self.calls = http.client.HTTPConnection("127.0.0.1", self.port)
        token = self.post("_superusers/auth-with-password", login)["token"]
        fields = [{"name": "n", "type": "number"}, {"name": "city", "type": "text"}, {"name": "price", "type": "number"}]
        self.post("", {"name": "houses", "type": "base", "fields": fields, "viewRule": "", "createRule": ""}, token)
        self.record = self.post("houses/records", {"n": 1, "city": "Bern", "price": 1.5})["id"]

    def post(self, path, body, token=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": token} if token else {})
        self.calls.request("POST", "/api/collections" + (path and "/" + path), json.dumps(body), headers)
        answer = self.calls.getresponse()
        text = answer.read()
        assert answer.status == 200, text
        return json.loads(text)

    def measure(self, seconds, folder):
        url = f"http://127.0.0.1:{self.port}/api/collections/houses/records"
        lookup = f"{url}/{self.record}"
        return {
            "pocketbase.view.c64": wrk(lookup, 64, seconds, pid=self.process.pid),
            "pocketbase.view.c1": wrk(lookup, 1, seconds, pid=self.process.pid),
            "pocketbase.create.c64": wrk(url, 64, seconds, folder / "pocketbase.lua", self.process.pid),
        }


def wait_for(port):
    for _ in range(600):
        with socket.socket() as any_socket:
            if any_socket.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listens on port {port}")


def free_port():
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return any_socket.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(prog="tools/bench-gateway")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--pocketbase")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tidings-gateway-"))
    folder.chmod(0o755)
    programs = Programs(folder)
    try:
        measure(options, folder, programs)
    finally:
        programs.stop()
        shutil.rmtree(folder)


def measure(options, folder, programs):
    server = programs.start(
        PROGRAMS / "rpcd", "--data", folder / "data", "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0",
    )
    rpc = next(word[4:] for word in server.stdout.readline().split() if word.startswith("rpc="))
    gateway = programs.start(PROGRAMS / "rpcgw", "--rpc", rpc, "--listen", "127.0.0.1:0")
    port = int(gateway.stdout.readline().rsplit(":", 1)[1])
    web = Web(port)
    record = {"recordName": "a", "recordType": "Houses", "fields": {
        "n": {"value": 1}, "city": {"value": "Bern"}, "price": {"value": 1.5}}}
    web.post("records/modify", {"operations": [{"operationType": "create", "record": record}]})
    answer = web.post("records/lookup", {"records": [{"recordName": "a"}]})
    (folder / "www").mkdir()
    (folder / "www" / "a.json").write_text(json.dumps(answer, separators=(",", ":")))
    nginx_port = free_port()
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=nginx_port))
    nginx = ["/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"]
    programs.start(*nginx, "-g", "daemon off;")
    wait_for(nginx_port)
    (folder / "lookup.lua").write_text(LOOKUP)
    (folder / "modify.lua").write_text(MODIFY)
    (folder / "pocketbase.lua").write_text(POCKETBASE_CREATE)
    neighbour = PocketBase(options.pocketbase, folder, programs) if options.pocketbase else None
    static = f"http://127.0.0.1:{nginx_port}/a.json"
    url = f"http://127.0.0.1:{port}{PATH}/records/%s?{TOKENS}"
    rounds = []
    for number in range(options.rounds + 1):
        print(f"==> round {number} of {options.rounds}", file=os.sys.stderr)
        found = {}
        seconds = options.seconds
        found["nginx.c64"] = wrk(static, 64, seconds)
        found["lookup.c64"] = wrk(url % "lookup", 64, seconds, folder / "lookup.lua", gateway.pid)
        found["lookup.c1"] = wrk(url % "lookup", 1, seconds, folder / "lookup.lua", gateway.pid)
        calls = options.calls if number else 100
        found["rpcd.fetch.c1"] = bench(calls, "--connections", "1", "--in-flight", "1", "fetch")["fetch.c1.n1"]
        found["modify.c64"] = wrk(url % "modify", 64, seconds, folder / "modify.lua", gateway.pid)
        found["rpcd.save.c64"] = bench(
            calls, "--connections", "64", "--in-flight", "64", "--saves", "new", "save"
        )["save.new.c64.n64"]
        found |= bench(calls, "events")
        if neighbour:
            found |= neighbour.measure(seconds, folder)
        if number:
            rounds.append(found)
    report(rounds, gateway.pid)


def report(rounds, pid):
    print(f"{'figure':<22}{'p50 ms':>9}{'p99 ms':>9}{'per s':>10}{'server µs':>12}")
    for name in rounds[0]:
        def median(key):
            return statistics.median(found[name].get(key, 0) for found in rounds)

        rate, processor = median("rate"), median("processor")
        print(
            f"{name:<22}{median('p50'):>9.3f}{median('p99'):>9.3f}"
            f"{(f'{rate:,.0f}' if rate else '-'):>10}{(f'{processor:.1f}' if processor else '-'):>12}"
        )
    print()
    for name, base, key, target in (
        ("lookup.c64", "nginx.c64", "rate", "≥ 0.35"),
        ("lookup.c1", "rpcd.fetch.c1", "p50", "≤ 2.50"),
        ("modify.c64", "rpcd.save.c64", "rate", "≥ 0.50"),
        ("events", "events.base", "p50", "≤ 1.50"),
    ):
        ratios = sorted(found[name][key] / found[base][key] for found in rounds)
        score = statistics.median(ratios)
        limit = float(target.split()[1])
        reached = score >= limit if target[0] == "≥" else score <= limit
        print(
            f"{name} / {base}, {'rate' if key == 'rate' else 'p50'}: {score:.2f}"
            f" ({ratios[0]:.2f}…{ratios[-1]:.2f}), target {target}: {'reached' if reached else 'MISSED'}"
        )
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        resident = next(line.split()[1] for line in lines if line.startswith("VmRSS"))
    print(f"rpcgw holds {int(resident) / 1024:.0f} MB")


if __name__ == "__main__":
    main()
