"""A thousand connections that wait on one gateway: event streams and polls of couriers."""

import http.client
import json
import selectors
import socket
import time
import unittest
import urllib.parse

import requests

from programs import Caller, Servers, subscribe, wait_for

STREAMS, POLLS, CALLS = 900, 100, 500


def rss(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def p50(values):
    return sorted(values)[len(values) // 2]


def p99(values):
    return sorted(values)[int(len(values) * 0.99)]


def quiet_call(port, path, count):
    """Latencies of a caller that has one connection and one request at a time."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body, latencies = json.dumps({"records": [{"recordName": "quiet"}]}), []
    for _ in range(count):
        started = time.perf_counter()
        connection.request("POST", path, body)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        latencies.append(time.perf_counter() - started)
    connection.close()
    return latencies


class ManyTests(unittest.TestCase):
    def test_a_thousand_wait_and_all_are_answered(self):
        with Servers() as servers:
            caller = Caller(servers.base_url, user="u0")
            caller.create("Houses", "quiet")
            path = urllib.parse.urlsplit(caller.url("records/lookup")).path + "?" + urllib.parse.urlencode(caller.query)
            quiet_call(servers.port, path, 300)
            alone = quiet_call(servers.port, path, CALLS)
            before = rss(servers.gateway.process)
            # Ten users with ninety streams and ten couriers each.
            users = [Caller(servers.base_url, user=f"u{number}") for number in range(10)]
            waiting = {}
            for user in users:
                subscribe(user, "Houses")
                query = urllib.parse.urlencode(user.query)
                for _ in range(STREAMS // len(users)):
                    self.request(servers.port, f"/events/houses/development?{query}&from=now", waiting, user)
            self.until_streams_began(waiting)
            # Last: each is answered after 50 s, whatever happens.
            for user in users:
                for number in range(POLLS // len(users)):
                    created = requests.post(
                        f"{servers.base_url}/device/1/houses/development/tokens/create",
                        params=user.query, data=json.dumps({"clientId": f"c{number}"}), timeout=60,
                    ).json()
                    self.request(servers.port, urllib.parse.urlsplit(created["webcourierURL"]).path, waiting, user)
            suspended = rss(servers.gateway.process)
            beside = quiet_call(servers.port, path, CALLS)
            for user in users:
                user.create("Houses", f"new-{user.query['ckWebAuthToken']}")
            self.until_answered(waiting)
            after = rss(servers.gateway.process)
            for connection in waiting:
                connection.close()
            print(
                f"1,000 waiting: gateway {before} kB before, {suspended} kB with them, {after} kB after all were"
                f" answered; p99 of a quiet caller alone {p99(alone) * 1e3:.2f} ms, beside them"
                f" {p99(beside) * 1e3:.2f} ms ({p99(beside) / p99(alone):.2f} x); p50"
                f" {p50(alone) * 1e3:.2f} and {p50(beside) * 1e3:.2f} ms"
            )
            # A connection may have 64 KiB; without a bound a stream would have 8 MiB.
            self.assertLess(after - before, 1000 * 100, "kB")

    def request(self, port, path, waiting, user):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        waiting[connection] = {"bytes": b"", "user": user, "is_stream": path.startswith("/events")}

    def read(self, waiting, is_done, seconds):
        with selectors.DefaultSelector() as selector:
            left = 0
            for connection, state in waiting.items():
                if not is_done(state):
                    connection.setblocking(False)
                    selector.register(connection, selectors.EVENT_READ, state)
                    left += 1
            end = time.monotonic() + seconds
            while left:
                self.assertLess(time.monotonic(), end, f"{left} of {len(waiting)} have no answer")
                for key, _ in selector.select(1):
                    key.data["bytes"] += key.fileobj.recv(65536)
                    if is_done(key.data):
                        selector.unregister(key.fileobj)
                        left -= 1

    def until_streams_began(self, waiting):
        self.read(waiting, lambda s: not s["is_stream"] or b"id:" in s["bytes"], 60)

    def until_answered(self, waiting):
        self.read(waiting, lambda s: f"new-{s['user'].query['ckWebAuthToken']}".encode() in s["bytes"], 60)


if __name__ == "__main__":
    unittest.main()
