"""Metrics, logs and traces, as monitoring systems see them."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from server import ROOT, _end_with_parent, program

import tidings
from tidings.rpc.options import CallOptions
from tidings.v1 import admin_service_pb2 as admin
from tidings.v1 import record_service_pb2 as record_service
from tidings.v1 import zone_service_pb2 as zones

MONITORING = ROOT / "tools" / "packaging" / "monitoring"
OPEN_METRICS = "application/openmetrics-text; version=1.0.0"


class Process:
    """A program of ours with the endpoints of its ready line."""

    def __init__(self, name: str, folder: Path, *arguments: str, **environment: str) -> None:
        self.log = folder / f"{name}.log"
        variables = {
            k: v for k, v in os.environ.items() if not k.startswith(("RPCD_", "RPCGW_", "OTEL_"))
        }
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [program(name), *arguments],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**variables, **environment},
                preexec_fn=_end_with_parent,
            )
        assert self.process.stdout is not None
        self.ready = self.process.stdout.readline()
        assert " ready " in self.ready, self.log.read_text()

    def endpoint(self, name: str) -> str:
        """An endpoint by its name, for example ``rpc``."""
        found = re.search(rf"\b{name}=(\S+)", self.ready)
        assert found is not None, self.ready
        return found[1]

    def stop(self) -> None:
        """Lets it end as an operator does."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=600) == 0
        assert self.process.stdout is not None
        self.process.stdout.close()

    def kill(self) -> None:
        """Ends it at once, if it has not ended."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextmanager
def rpcd(folder: Path, *arguments: str, **environment: str) -> Iterator[Process]:
    """A server in development mode with an operator endpoint."""
    (folder / "data").mkdir(mode=0o700, exist_ok=True)
    free = "tcp://127.0.0.1:0"
    process = Process(
        "rpcd",
        folder,
        *("--rpc", free, "--push", free, "--data", str(folder / "data")),
        *("--operator-endpoint", "0", *arguments),
        **environment,
    )
    try:
        yield process
    finally:
        process.kill()


@contextmanager
def rpcgw(folder: Path, server: Process, *arguments: str, **environment: str) -> Iterator[Process]:
    """A gateway before a server."""
    process = Process(
        "rpcgw",
        folder,
        *("--rpc", server.endpoint("rpc"), "--listen", "127.0.0.1:0", "--operator-endpoint", "0"),
        *arguments,
        **environment,
    )
    try:
        yield process
    finally:
        process.kill()


def client(server: Process, **settings: Any) -> tidings.Client:
    """A client of a server, patient on a busy machine."""
    return tidings.Client(
        server.endpoint("rpc"),
        **{"user": "ada", "timeout": 600.0, "connect_timeout": 600.0, **settings},
    )


def get(url: str, **headers: str) -> tuple[int, str, str]:
    """The status, the type and the text of an answer."""
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()


def scrape(process: Process) -> str:
    """The metrics of a program."""
    status, kind, text = get(process.endpoint("operator") + "/metrics")
    assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return text


def value(text: str, name: str) -> float:
    """The value of a metric with its labels as they are written."""
    line = next(line for line in text.splitlines() if line.startswith(name + " "))
    return float(line.split()[-1])


def until(what: str, condition: Callable[[], Any]) -> Any:
    """Waits for a condition."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen")


def promtool(*arguments: str, text: str | None = None) -> None:
    """Runs Prometheus' checker."""
    run = subprocess.run(["promtool", *arguments], input=text, text=True, capture_output=True)
    assert run.returncode == 0 and not run.stderr.strip(), run.stdout + run.stderr


# MARK: Metrics


async def test_metrics_count_what_happens(tmp_path: Path) -> None:
    with rpcd(tmp_path) as server:
        before = scrape(server)
        promtool("check", "metrics", text=before)
        async with client(server) as ada:
            for number in range(3):
                await ada.database().save(tidings.Record("Things", f"t{number}"))
            with pytest.raises(tidings.TidingsError):
                await ada.database().fetch("none")
        text = scrape(server)
        promtool("check", "metrics", text=text)
        labels = 'service="tidings.v1.RecordService",method="ModifyRecords",code="OK"'
        assert value(text, f"tidings_rpc_handled_total{{{labels}}}") == 3
        assert value(text, f"tidings_rpc_handling_seconds_count{{{labels}}}") == 3
        assert value(text, f'tidings_rpc_handling_seconds_bucket{{{labels},le="+Inf"}}') == 3
        assert 0 < value(text, f"tidings_rpc_handling_seconds_sum{{{labels}}}") < 600
        assert value(text, "tidings_records_saved_total") == 3
        assert value(text, "tidings_commit_seconds_count") >= 3
        assert value(text, "tidings_up") == 1 and value(text, "tidings_leader") == 1
        assert value(text, "process_resident_memory_bytes") > 1 << 20
        assert re.search(r'tidings_build_info\{version="[0-9.]+"\} 1', text)
        if os.environ.get("TIDINGS_TEST_STORE") != "postgresql":
            fsyncs = "tidings_fsync_seconds_count"
            assert value(text, fsyncs) - value(before, fsyncs) >= 3
            assert value(text, "tidings_log_bytes") > 0
            assert value(text, "tidings_database_bytes") > 0


async def test_no_label_is_chosen_by_a_caller(tmp_path: Path) -> None:
    with rpcd(tmp_path) as server:
        async with client(server, user="grace-hopper") as grace:
            await grace.database().save(tidings.Record("SecretType", "secret-name"))
            for number in range(50):
                with pytest.raises(tidings.Unimplemented):
                    await grace.transport.unary_bytes(
                        f"tidings.v1.RecordService/Unknown{number}",
                        b"",
                        CallOptions(),
                        is_safe=True,
                    )
        text = scrape(server)
        assert not re.search("grace|secret|SecretType|Unknown", text)
        assert 'service="unknown",method="unknown",code="UNIMPLEMENTED"} 50' in text


def test_open_metrics_are_sent_to_those_who_prefer_them(tmp_path: Path) -> None:
    with rpcd(tmp_path) as server:
        url = server.endpoint("operator") + "/metrics"
        # As Prometheus asks.
        accept = f"{OPEN_METRICS};q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1"
        status, kind, text = get(url, Accept=accept)
        assert (status, kind) == (200, f"{OPEN_METRICS}; charset=utf-8")
        assert text.endswith("\n# EOF\n") and "# TYPE tidings_commits counter\n" in text
        assert "# UNIT tidings_commit_seconds seconds\n" in text
        families = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
        assert len(families) == len(set(families))
        _, kind, text = get(url, Accept="text/plain")
        assert kind.startswith("text/plain; version=0.0.4") and "# EOF" not in text
        assert get(server.endpoint("operator") + "/other")[0] == 404


async def test_readiness_follows_the_drain(tmp_path: Path) -> None:
    with rpcd(tmp_path) as server:
        url = server.endpoint("operator")
        assert get(f"{url}/livez")[0] == 200 and get(f"{url}/readyz")[0] == 200
        async with client(server) as root:
            action = admin.DRAIN_ACTION_DRAIN
            await root.administration.drain(admin.DrainRequest(action=action))
            assert get(f"{url}/livez")[0] == 200 and get(f"{url}/readyz")[0] == 503
            action = admin.DRAIN_ACTION_RESUME
            await root.administration.drain(admin.DrainRequest(action=action))
            assert get(f"{url}/readyz")[0] == 200


HOLDS_THE_LOOP = r"""
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
int ppoll(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *set);
int poll(struct pollfd *files, nfds_t count, int timeout) {
  char name[16] = "";
  prctl(PR_GET_NAME, name, 0, 0, 0);
  while (strcmp(name, "tidings-server") == 0 && access(getenv("TEST_HOLD"), F_OK) == 0)
    usleep(10000);
  struct timespec time = {timeout / 1000, timeout % 1000 * 1000000L};
  return ppoll(files, count, timeout < 0 ? NULL : &time, NULL);
}
"""


async def test_a_hanging_loop_is_reported(tmp_path: Path) -> None:
    (tmp_path / "hold.c").write_text(HOLDS_THE_LOOP)
    library, hold = tmp_path / "hold.so", tmp_path / "hold"
    command = ["cc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "hold.c")]
    assert await asyncio.to_thread(subprocess.call, command) == 0
    with rpcd(tmp_path, LD_PRELOAD=str(library), TEST_HOLD=str(hold)) as server:
        url = server.endpoint("operator")
        async with client(server) as ada:
            await ada.database().save(tidings.Record("Things", "t1"))
            assert get(f"{url}/livez")[0] == 200
            hold.touch()
            status, _, text = await asyncio.to_thread(until_hanging, url)
            assert status == 503 and "core loop" in text
            assert value(await asyncio.to_thread(scrape, server), "tidings_up") == 0
            hold.unlink()
            await ada.database().save(tidings.Record("Things", "t2"))
            assert get(f"{url}/livez")[0] == 200


def until_hanging(url: str) -> tuple[int, str, str]:
    """The answer of /livez once it is not OK."""

    def state() -> tuple[int, str, str] | None:
        answer = get(f"{url}/livez")
        return answer if answer[0] != 200 else None

    answer: tuple[int, str, str] = until("a hanging loop", state)
    return answer


def test_the_gateway_counts_requests(tmp_path: Path) -> None:
    with rpcd(tmp_path) as server, rpcgw(tmp_path, server) as gateway:
        url = gateway.ready.split()[2]
        path = "/database/1/app/development/private"
        tokens = "?ckAPIToken=x&ckWebAuthToken=dev%3Aada"
        assert get(f"{url}{path}/zones/list{tokens}")[0] == 200
        assert get(f"{url}{path}/no/such{tokens}")[0] >= 400
        assert get(f"{url}/{'x' * 100}")[0] == 404
        text = scrape(gateway)
        promtool("check", "metrics", text=text)
        assert value(text, 'tidings_http_requests_total{endpoint="zones/list",status="200"}') == 1
        assert value(text, 'tidings_http_seconds_count{endpoint="zones/list"}') == 1
        assert "no/such" not in text and "xxx" not in text
        assert value(text, "tidings_up") == 1 and value(text, "tidings_event_streams") == 0
        assert get(gateway.endpoint("operator") + "/readyz")[0] == 200
        server.stop()
        assert value(scrape(gateway), "tidings_up") == 0
        assert get(gateway.endpoint("operator") + "/readyz")[0] == 503
        assert get(gateway.endpoint("operator") + "/livez")[0] == 200


def test_alert_rules_hold() -> None:
    promtool("check", "rules", str(MONITORING / "alerts.yml"))
    promtool("test", "rules", str(MONITORING / "alerts-test.yml"))


async def test_the_dashboard_and_the_alerts_use_metrics_that_exist(tmp_path: Path) -> None:
    with rpcd(tmp_path) as server, rpcgw(tmp_path, server) as gateway:
        async with client(server) as ada:
            await ada.database().save(tidings.Record("Things", "t"))
        get(gateway.ready.split()[2] + "/tidings.js")
        exists = set(re.findall(r"^([a-z_]+)", scrape(server) + scrape(gateway), re.MULTILINE))
    dashboard = json.loads((MONITORING / "grafana-dashboard.json").read_text())
    expressions = [
        target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])
    ]
    assert len(expressions) > 20
    expressions.append((MONITORING / "alerts.yml").read_text())
    names = set(re.findall(r"\b(?:tidings|process)_[a-z_]+\b", "\n".join(expressions)))
    # The texts of alerts name histograms without the endings of their series.
    assert {name for name in names if not {name, f"{name}_count"} & exists} == set()


# MARK: Logs


def lines(process: Process, message: str) -> list[dict[str, Any]]:
    """The lines of a log of JSON with a message."""
    # A line may be incomplete still.
    text = process.log.read_text().rpartition("\n")[0]
    return [line for line in map(json.loads, text.splitlines()) if line["message"] == message]


async def test_debug_shows_each_call_without_its_content(tmp_path: Path) -> None:
    with rpcd(tmp_path, "--log-format", "json") as server:
        async with client(server) as ada:
            await ada.database().save(tidings.Record("Things", "t1"))
            levels = admin.SetLogLevelRequest(level=admin.LOG_LEVEL_DEBUG)
            await ada.administration.set_log_level(levels)
            record = tidings.Record("Things", "secret-name", {"note": "secret-value"})
            await ada.database().save(record)
            await ada.administration.set_log_level(
                admin.SetLogLevelRequest(level=admin.LOG_LEVEL_INFO)
            )
            await ada.database().save(tidings.Record("Things", "t3"))
        calls = until("a line about the call", lambda: lines(server, "call"))
        saves = [call for call in calls if call["method"].endswith("/ModifyRecords")]
        assert len(saves) == 1
        assert saves[0]["level"] == "debug" and saves[0]["code"] == "OK"
        assert saves[0]["recordsSaved"] == 1 and saves[0]["zones"] == 1
        assert 0 < saves[0]["durationMilliseconds"] < 600_000 and saves[0]["requestBytes"] > 0
        assert "secret" not in server.log.read_text()


async def test_slow_calls_are_logged_with_their_plan(tmp_path: Path) -> None:
    with rpcd(tmp_path, "--log-format", "json", "--slow-call-threshold", "off") as server:
        async with client(server) as ada:
            database = ada.database()
            records = [tidings.Record("Things", f"t{n}", {"number": n}) for n in range(200)]
            await database.save_all(records)
            query = "number > 100"
            await _query(database, query)
            assert not lines(server, "slow call")
            operator = ada.administration
            request = admin.SetLogLevelRequest(slow_call_milliseconds=1)
            assert (await operator.set_log_level(request)).slow_call_milliseconds == 1

            async def is_slow() -> list[dict[str, Any]]:
                await _query(database, query)
                return [s for s in lines(server, "slow call") if "plan" in s]

            found: list[dict[str, Any]] = []
            for _ in range(1000):
                if found := await is_slow():
                    break
            assert found and found[0]["method"].endswith("/QueryRecords")
            assert found[0]["level"] == "warning" and "visited" in found[0]["plan"]
            assert "100" not in found[0]["plan"].split(",")[0]
            metrics = await operator.fetch_metrics(admin.FetchMetricsRequest())
            assert metrics.slow_calls and metrics.slow_calls[-1].duration_microseconds >= 1000


async def test_a_call_that_waits_for_a_change_is_not_slow(tmp_path: Path) -> None:
    with rpcd(tmp_path, "--log-format", "json", "--slow-call-threshold", "1s") as server:
        async with client(server) as ada:
            request = record_service.FetchDatabaseChangesRequest(database_id=ada.database_id())
            first = await ada.records.fetch_database_changes(request)
            request.change_token = first.change_token
            request.max_wait.seconds = 2
            began = time.monotonic()
            await ada.records.fetch_database_changes(request)
            assert time.monotonic() - began > 1.5
        labels = 'service="tidings.v1.RecordService",method="FetchDatabaseChanges",code="OK"'
        total = value(scrape(server), f"tidings_rpc_handling_seconds_sum{{{labels}}}")
        assert total < 1.5 and not lines(server, "slow call")


async def _query(database: Any, predicate: str) -> None:
    async for _ in database.query("Things", predicate):
        pass


async def test_a_request_keeps_its_id(tmp_path: Path) -> None:
    with rpcd(tmp_path, "--log-format", "json", "--log-level", "debug") as server:
        good, bad = "0f3a-request.1", 'x"\n{"level":"error"}'
        for request_id in [good, bad, "y" * 129, "z" * 128]:
            async with client(server) as ada:
                metadata = {"tidings-request-id": request_id}
                request = zones.FetchRecordZonesRequest()
                await ada.zones.fetch_record_zones(request, metadata=metadata)
        until("four calls", lambda: len(_fetches(server)) == 4)
        ids = [call.get("requestId") for call in _fetches(server)]
        assert ids == [good, None, None, "z" * 128]


def _fetches(server: Process) -> list[dict[str, Any]]:
    return [c for c in lines(server, "call") if c["method"].endswith("/FetchRecordZones")]


def test_the_gateway_logs_requests_as_json(tmp_path: Path) -> None:
    options = ["--log-format", "json", "--log-requests"]
    with (
        rpcd(tmp_path, "--log-format", "json", "--log-level", "debug") as server,
        rpcgw(tmp_path, server, *options) as gateway,
    ):
        url = gateway.ready.split()[2]
        tokens = "?ckAPIToken=secret&ckWebAuthToken=dev%3Aada"
        path = "/database/1/app/development/private/zones/list"
        assert get(f"{url}{path}{tokens}")[0] == 200
        assert get(f"{url}/assets/secret-of-a-url")[0] >= 400
        hostile = '%22x","level":"error'
        assert get(f"{url}/{hostile}{'y' * 500}")[0] == 404
        found = until("three requests", lambda: _three(lines(gateway, "request")))
        assert found[0]["status"] == 200
        assert [one["path"] for one in found[:2]] == [path, "/assets/…"]
        assert found[2]["path"].startswith(f"/{hostile}") and len(found[2]["path"]) == 200
        assert {one["level"] for one in found} == {"info"}
        assert {one["client"] for one in found} == {"127.0.0.1"}
        assert {one["method"] for one in found} == {"GET"}
        assert all(0 < one["durationMilliseconds"] < 600_000 for one in found)
        # By the ID a request is found in the server's log.
        until(
            "the call",
            lambda: [c for c in _fetches(server) if c.get("requestId") == found[0]["requestId"]],
        )
        (warning,) = [one for one in _all_lines(gateway) if one["level"] == "warning"]
        assert "development mode" in warning["message"]
        assert "secret" not in gateway.log.read_text()
        server.stop()
        assert get(f"{url}{path}{tokens}")[0] == 503
        until(
            "a failure",
            lambda: [o for o in lines(gateway, "request") if o["level"] == "warning"],
        )


def test_the_level_decides_what_the_gateway_logs(tmp_path: Path) -> None:
    with rpcd(tmp_path) as server:
        for options, count in [
            (["--log-level", "debug"], 1),
            ([], 0),
            (["--log-requests", "--log-level", "warning"], 0),
        ]:
            with rpcgw(tmp_path, server, "--log-format", "json", *options) as gateway:
                assert get(f"{gateway.ready.split()[2]}/none")[0] == 404
                gateway.stop()
                found = lines(gateway, "request")
                assert len(found) == count and all(one["level"] == "debug" for one in found)


def _three(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return found if len(found) == 3 else []


def _all_lines(process: Process) -> list[dict[str, Any]]:
    return [json.loads(line) for line in process.log.read_text().splitlines()]


# MARK: Traces


class Collector:
    """Takes spans as a collector does, and parses them with OpenTelemetry's own messages."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Span]] = []
        self.refused: list[tuple[str, Span]] = []
        self.requests: list[dict[str, str]] = []
        self.statuses: list[int] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.requests.append({**self.headers, "path": self.path})
                status = collector.statuses.pop(0) if collector.statuses else 200
                spans = collector.parse(body)
                if status == 200:
                    collector.spans += spans
                elif status == 400:
                    collector.refused += spans
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def parse(body: bytes) -> list[tuple[str, Span]]:
        """The spans of a request, each with the name of its program."""
        request = ExportTraceServiceRequest.FromString(body)
        # Nothing is in it that OpenTelemetry does not know, or would leave out.
        assert len(request.SerializeToString()) == len(body)
        spans = []
        for resource in request.resource_spans:
            names = {a.key: a.value.string_value for a in resource.resource.attributes}
            for scope in resource.scope_spans:
                spans += [(names["service.name"], span) for span in scope.spans]
        return spans

    @property
    def environment(self) -> dict[str, str]:
        """What makes programs send spans here, soon."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.server.server_port}",
            "OTEL_BSP_SCHEDULE_DELAY": "20",
        }

    def named(self, service: str, name: str) -> list[Span]:
        """Spans by the name of their program and their own."""
        return [span for program, span in self.spans if (program, span.name) == (service, name)]


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector for one test."""
    collector = Collector()
    yield collector
    collector.server.shutdown()
    collector.server.server_close()


PARENT = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")


async def test_a_trace_goes_from_the_request_to_the_delivery(
    tmp_path: Path, collector: Collector
) -> None:
    environment = collector.environment
    with (
        rpcd(tmp_path, **environment) as server,
        rpcgw(tmp_path, server, **environment) as gateway,
    ):
        url = gateway.ready.split()[2]
        tokens = "?ckAPIToken=x&ckWebAuthToken=dev%3Aada"
        async with client(server, container="app") as ada:
            await ada.database().save_subscription(tidings.database_subscription("all"))
        events = _events(f"{url}/events/app/development{tokens}")
        next(events)

        def create(name: str, headers: dict[str, str] | None = None) -> Any:
            record = {"recordName": name, "recordType": "Things", "fields": {}}
            body = {"operations": [{"operationType": "create", "record": record}]}
            request = urllib.request.Request(
                f"{url}/database/1/app/development/private/records/modify{tokens}",
                data=json.dumps(body).encode(),
                headers=headers or {},
            )
            answer = urllib.request.urlopen(request)
            assert "serverErrorCode" not in answer.read().decode()
            return answer

        numbers = itertools.count()

        def receives_pushes() -> list[Span]:
            create(f"early{next(numbers)}")
            time.sleep(0.2)
            return collector.named("rpcgw", "deliver")

        # What is published earlier is read from the log, which has no traces.
        await asyncio.to_thread(until, "a push", receives_pushes)
        parent_header = {"traceparent": f"00-{PARENT[0]}-{PARENT[1]}-01"}
        answer = await asyncio.to_thread(create, "t1", parent_header)
        assert any(line.startswith("event: notification") for line in events)
        method = "tidings.v1.RecordService/ModifyRecords"
        chain = [
            ("rpcgw", "POST records/modify", Span.SPAN_KIND_SERVER),
            ("rpcgw", method, Span.SPAN_KIND_CLIENT),
            ("rpcd", method, Span.SPAN_KIND_SERVER),
            ("rpcd", "commit", Span.SPAN_KIND_INTERNAL),
            ("rpcd", "push", Span.SPAN_KIND_PRODUCER),
            ("rpcgw", "deliver", Span.SPAN_KIND_CONSUMER),
        ]
        trace = bytes.fromhex(PARENT[0])

        def found(service: str, name: str) -> list[Span]:
            return [s for s in collector.named(service, name) if s.trace_id == trace]

        parent = bytes.fromhex(PARENT[1])
        for service, name, kind in chain:
            span = until(f"{service} {name}", partial(found, service, name))[0]
            assert (span.parent_span_id, span.kind) == (parent, kind), name
            assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
            assert abs(span.start_time_unix_nano / 1e9 - time.time()) < 3600
            parent = span.span_id
        match = until("rpcd match", lambda: found("rpcd", "match"))[0]
        assert match.parent_span_id == found("rpcd", method)[0].span_id
        attributes = {a.key: a.value for a in found("rpcd", method)[0].attributes}
        assert attributes["tidings.records_saved"].int_value == 1
        assert attributes["rpc.grpc.status_code"].int_value == 0
        # The answer's name of the request is in the spans of both programs.
        request_id = answer.headers["X-Apple-Request-UUID"]
        for span in found("rpcgw", "POST records/modify") + found("rpcd", method):
            named = {a.key: a.value.string_value for a in span.attributes}
            assert request_id and named["tidings.request_id"] == request_id
        assert value(scrape(server), "tidings_spans_exported_total") >= 4


def _events(url: str) -> Iterator[str]:
    with urllib.request.urlopen(url, timeout=600) as stream:
        for line in stream:
            yield line.decode()


async def test_clients_pass_traces_on(tmp_path: Path, collector: Collector) -> None:
    environment = {**collector.environment, "OTEL_TRACES_SAMPLER": "parentbased_always_off"}
    with rpcd(tmp_path, **environment) as server:
        span = f"00-{PARENT[0]}-{PARENT[1]}"
        parents: list[str | None] = [None, f"{span}-00", f"{span}-01"]
        async with client(server, trace_parent=parents.pop) as ada:
            while parents:
                await ada.zones.fetch_record_zones(zones.FetchRecordZonesRequest())
        server.stop()
        (found,) = collector.named("rpcd", "tidings.v1.ZoneService/FetchRecordZones")
        assert (found.trace_id.hex(), found.parent_span_id.hex()) == PARENT


async def test_tidings_kit_passes_traces_on(tmp_path: Path, collector: Collector) -> None:
    environment = {**collector.environment, "OTEL_TRACES_SAMPLER": "parentbased_always_off"}
    trace = PARENT[0]
    parents = [f"000000000000000{number}" for number in range(1, 5)]
    texts = [f"00-{trace}-{parent}-01" for parent in parents]
    with rpcd(tmp_path, **environment) as server:
        command = [str(program("tidings-kit-traces")), server.endpoint("rpc"), *texts[:3]]
        variables = {**os.environ, "TRACEPARENT": texts[3]}
        run = await asyncio.to_thread(
            subprocess.run, command, env=variables, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        server.stop()
    saves = collector.named("rpcd", "tidings.v1.RecordService/ModifyRecords")
    assert {span.trace_id.hex() for span in saves} == {trace}
    # The last one has no span of its own.
    assert [span.parent_span_id.hex() for span in _in_order(saves)] == parents
    (zones_fetched,) = collector.named("rpcd", "tidings.v1.ZoneService/FetchRecordZones")
    assert zones_fetched.parent_span_id.hex() == parents[3]


def _in_order(spans: list[Span]) -> list[Span]:
    return sorted(spans, key=lambda span: span.start_time_unix_nano)


async def test_a_trace_shows_what_a_call_waited_for(tmp_path: Path, collector: Collector) -> None:
    with rpcd(tmp_path, **collector.environment) as server:
        method = "tidings.v1.RecordService/FetchDatabaseChanges"
        waiting = f"00-{PARENT[0]}-{PARENT[1]}-01"
        async with client(server) as ada, client(server, trace_parent=lambda: waiting) as watcher:
            request = record_service.FetchDatabaseChangesRequest(database_id=ada.database_id())
            request.change_token = (await ada.records.fetch_database_changes(request)).change_token
            request.max_wait.seconds = 60
            watch = asyncio.create_task(watcher.records.fetch_database_changes(request))
            await asyncio.to_thread(
                until,
                "a waiting call",
                lambda: value(scrape(server), 'tidings_queue_depth{queue="feeds"}') == 1,
            )
            await ada.database().save(tidings.Record("Things", "t1"))
            assert (await watch).changed_zone_ids
            # Nothing comes: the wait is there as well, and no change.
            request.change_token = (await watch).change_token
            request.max_wait.seconds = 1
            await watcher.records.fetch_database_changes(request)
        server.stop()
        trace = bytes.fromhex(PARENT[0])
        calls = _in_order([s for s in collector.named("rpcd", method) if s.trace_id == trace])
        waits = _in_order(collector.named("rpcd", "wait"))
        assert [wait.parent_span_id for wait in waits] == [call.span_id for call in calls]
        for call, wait in zip(calls, waits, strict=True):
            assert call.start_time_unix_nano <= wait.start_time_unix_nano
            assert wait.start_time_unix_nano <= wait.end_time_unix_nano
            assert wait.end_time_unix_nano <= call.end_time_unix_nano
        (save,) = collector.named("rpcd", "tidings.v1.RecordService/ModifyRecords")
        assert [link.span_id for link in waits[0].links] == [save.span_id]
        assert [link.trace_id for link in waits[0].links] == [save.trace_id]
        assert not waits[1].links
        assert waits[1].end_time_unix_nano - waits[1].start_time_unix_nano > 0.8e9


async def test_a_trace_shows_a_call_that_takes_long(tmp_path: Path, collector: Collector) -> None:
    # A deletion that cascades to many has a transaction of its own.
    count = 600
    with rpcd(tmp_path, **collector.environment) as server:
        async with client(server) as ada:
            subscription = tidings.query_subscription("gone", "Things", on=["delete"])
            database = ada.database()
            await database.save_subscription(subscription)
            parent = tidings.Record("Things", "parent")
            await database.save(parent)
            reference = tidings.Reference(
                tidings.RecordID("parent"), tidings.ReferenceAction.DELETE_SELF
            )
            for start in range(0, count, 200):
                names = [f"t{number}" for number in range(start, start + 200)]
                await database.save_all(
                    [tidings.Record("Things", name, {"whole": reference}) for name in names]
                )
            text = f"00-{PARENT[0]}-{PARENT[1]}-01"
            removal = record_service.ModifyRecordsRequest(database_id=ada.database_id())
            removal.record_ids_to_delete.add().record_name = "parent"
            await ada.records.modify_records(removal, metadata={"traceparent": text})
        server.stop()
        trace = bytes.fromhex(PARENT[0])
        spans = {s.name: s for _, s in collector.spans if s.trace_id == trace}
        call = spans["tidings.v1.RecordService/ModifyRecords"]
        assert spans["match"].parent_span_id == spans["commit"].parent_span_id == call.span_id
        assert spans["push"].parent_span_id == spans["commit"].span_id
        events = {a.key: a.value.int_value for a in spans["match"].attributes}["tidings.events"]
        assert events == count + 1
        assert call.end_time_unix_nano >= spans["commit"].end_time_unix_nano


def test_spans_are_sent_as_the_variables_say(tmp_path: Path, collector: Collector) -> None:
    environment = {
        **collector.environment,
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": (
            f"http://127.0.0.1:{collector.server.server_port}/else/where"
        ),
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Basic%20abc,x-team=records",
        "OTEL_SERVICE_NAME": "notes",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test",
    }
    # Only these are worth a repetition.
    collector.statuses = [503, 429]
    with rpcd(tmp_path, **environment) as server:
        _status(server)
        until("a span", lambda: collector.spans)
        assert {service for service, _ in collector.spans} == {"notes"}
        assert len(collector.requests) >= 3
        first = {key.lower(): value for key, value in collector.requests[0].items()}
        assert first["path"] == "/else/where" and first["x-team"] == "records"
        assert first["authorization"] == "Basic abc"
        assert first["content-type"] == "application/x-protobuf"
        collector.statuses = [400]
        _status(server)
        until("a drop", lambda: value(scrape(server), "tidings_spans_dropped_total") > 0)
        refused = {span.span_id for _, span in collector.refused}
        assert refused and not refused & {span.span_id for _, span in collector.spans}


def test_a_clean_stop_sends_what_waits(tmp_path: Path, collector: Collector) -> None:
    environment = {**collector.environment, "OTEL_BSP_SCHEDULE_DELAY": "3600000"}
    with rpcd(tmp_path, **environment) as server:
        _status(server)
        server.stop()
        assert collector.spans


@pytest.mark.parametrize(
    ("variable", "setting"),
    [
        ("OTEL_SDK_DISABLED", "true"),
        ("OTEL_TRACES_EXPORTER", "none"),
        ("OTEL_TRACES_SAMPLER", "always_off"),
        ("OTEL_TRACES_SAMPLER", "parentbased_always_off"),
    ],
)
def test_nothing_is_sent_that_is_not_wanted(
    tmp_path: Path, collector: Collector, variable: str, setting: str
) -> None:
    with rpcd(tmp_path, **collector.environment, **{variable: setting}) as server:
        _status(server)
        server.stop()
        assert not collector.requests


def test_a_collector_that_is_away_costs_spans_and_nothing_else(tmp_path: Path) -> None:
    environment = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
        "OTEL_BSP_SCHEDULE_DELAY": "20",
        "OTEL_BSP_MAX_QUEUE_SIZE": "2",
    }
    with rpcd(tmp_path, **environment) as server:
        for _ in range(10):
            _status(server)
        until("drops", lambda: value(scrape(server), "tidings_spans_dropped_total") > 0)
        server.stop()


def rpcctl(server: Process, *words: str) -> str:
    """Runs a command at a server, and returns its output."""
    command = [str(program("rpcctl")), "--endpoint", server.endpoint("rpc"), "--as", "ada", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _status(server: Process) -> None:
    rpcctl(server, "status")


# MARK: rpcctl top


async def test_top_shows_rates_and_latencies(tmp_path: Path) -> None:
    with rpcd(tmp_path) as server:
        async with client(server) as ada:
            await ada.database().save(tidings.Record("Things", "t1"))
        words = ["top", "--once", "--interval", "200ms"]
        text = await asyncio.to_thread(rpcctl, server, *words)
        assert text.startswith("rpcd ") and "METHOD" in text
        assert "RecordService/ModifyRecords" in text and "connections: rpc" in text
        shown = json.loads(await asyncio.to_thread(rpcctl, server, *words, "-o", "json"))
        methods = {row["method"]: row for row in shown["methods"]}
        assert methods["RecordService/ModifyRecords"]["total"] == 1
        assert methods["AdminService/FetchMetrics"]["p50Milliseconds"] is not None
        assert shown["connections"] == {"rpc": 1, "push": 0}


def test_top_fills_a_terminal_and_gives_it_back(tmp_path: Path) -> None:
    import pty

    with rpcd(tmp_path) as server:
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            path = str(program("rpcctl"))
            words = ["--endpoint", server.endpoint("rpc"), "--as", "root", "top"]
            os.execv(path, [path, *words, "--interval", "100ms"])
        seen = b""
        while seen.count(b"METHOD") < 2:
            seen += os.read(terminal, 65536)
        assert seen.startswith(b"\x1b[?1049h")
        _resize(terminal, rows=8, columns=30)
        end = time.monotonic() + 300
        while time.monotonic() < end:
            page = seen.split(b"\x1b[H")[-1]
            if b"\x1b[J" in page and page.count(b"\r\n") <= 7:
                break
            seen += os.read(terminal, 65536)
        else:
            raise AssertionError("the page did not become smaller")
        os.write(terminal, b"q")
        while not seen.endswith(b"\x1b[?1049l"):
            seen += os.read(terminal, 65536)
        assert os.waitpid(pid, 0)[1] == 0
        os.close(terminal)


def _resize(terminal: int, rows: int, columns: int) -> None:
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
