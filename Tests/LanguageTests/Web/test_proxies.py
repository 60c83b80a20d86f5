"""rpcgw behind nginx and HAProxy, with the configurations of docs/examples/gateway."""

import concurrent.futures
import json
import time
import unittest

import requests

from programs import ROOT, Caller, Events, Program, Servers, free_port, is_open, subscribe, wait_for

EXAMPLES = ROOT / "docs" / "examples" / "gateway"


class ProxyTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = Servers("--log-requests", "--log-format", "json", "--trusted-proxy", "127.0.0.1")
        cls.addClassCleanup(cls.servers.__exit__)
        cls.ports = {}
        for name, file in ("nginx", "nginx.conf"), ("haproxy", "haproxy.cfg"):
            port = cls.ports[name] = free_port()
            text = (EXAMPLES / file).read_text()
            assert "127.0.0.1:80\n" in text or "127.0.0.1:80;" in text
            text = text.replace("127.0.0.1:8080", f"127.0.0.1:{cls.servers.port}")
            text = text.replace("127.0.0.1:80\n", f"127.0.0.1:{port}\n").replace("127.0.0.1:80;", f"127.0.0.1:{port};")
            path = cls.servers.folder / file
            path.write_text(text)
            folder = cls.servers.folder
            command = {
                "nginx": [
                    "/sbin/nginx", "-p", folder, "-c", path, "-e", folder / "error.log",
                    "-g", f"daemon off; pid {folder}/nginx.pid;",
                ],
                "haproxy": ["/sbin/haproxy", "-q", "-db", "-f", path],
            }[name]
            program = Program(*command)
            cls.servers.programs.append(program)
            wait_for(name, lambda: is_open(port) or program.process.poll() is not None)
            assert program.process.poll() is None, f"{name}: {''.join(program.errors)}"

    def each(self):
        for name, port in self.ports.items():
            with self.subTest(name):
                yield name, Caller(f"http://127.0.0.1:{port}", container=f"{name}-{self.id().split('.')[-1]}")

    def test_calls(self):
        for _, caller in self.each():
            self.assertEqual(caller.create("Houses", "h1", price=1)["recordName"], "h1")
            for _ in range(20):
                caller.post("records/lookup", {"records": [{"recordName": "h1"}]})
            self.assertEqual(len(caller.post("records/query", {"query": {"recordType": "Houses"}})["records"]), 1)

    def test_assets(self):
        for _, caller in self.each():
            url = caller.post("assets/upload", {"tokens": [{"recordType": "Houses", "fieldName": "f"}]})["tokens"][0][
                "url"
            ]
            self.assertTrue(url.startswith(caller.base_url), url)
            content = b"x" * (3 << 20)
            asset = requests.post(url, files={"file": content}, timeout=60).json()["singleFile"]
            record = caller.create("Houses", "h1", f=asset)
            url = record["fields"]["f"]["value"]["downloadURL"].replace("${f}", "f")
            self.assertEqual(requests.get(url, timeout=60).content, content)

    def test_events_are_not_buffered(self):
        for _, caller in self.each():
            subscribe(caller, "Houses")
            events = Events(caller)
            for number in range(3):
                caller.create("Houses", f"h{number}")
                wait_for("the event", lambda: len(events.records()) == number + 1, 10)
            events.close()

    def test_polls_wait(self):
        def poll(caller):
            answer = requests.post(
                f"{caller.base_url}/device/1/{caller.container}/development/tokens/create",
                params=caller.query, data="{}", timeout=60,
            )
            self.assertEqual(answer.status_code, 200, answer.text)
            created = answer.json()
            self.assertTrue(created["webcourierURL"].startswith(caller.base_url))
            started = time.monotonic()
            answer = requests.get(created["webcourierURL"], timeout=90)
            return answer.status_code, answer.content, time.monotonic() - started

        callers = [caller for _, caller in self.each()]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for status, content, seconds in pool.map(poll, callers):
                self.assertEqual((status, content), (200, b""))
                self.assertGreater(seconds, 45)

    def test_addresses_come_from_trusted_proxies(self):
        def logged(base_url, headers=None):
            path = f"/nothing-{time.monotonic_ns()}"
            requests.get(base_url + path, headers=headers, timeout=60)
            find = lambda: [line for line in list(self.servers.gateway.errors) if path in line]
            return json.loads(wait_for("the line", find)[0])["client"]

        direct = self.servers.base_url
        self.assertEqual(logged(direct), "127.0.0.1")
        self.assertEqual(logged(direct, {"X-Forwarded-For": "203.0.113.9, 198.51.100.7"}), "198.51.100.7")
        self.assertEqual(logged(direct, {"Forwarded": 'for="[2001:db8::1]:4711";proto=https'}), "2001:db8::1")
        self.assertEqual(logged(direct, {"X-Forwarded-For": "unknown"}), "127.0.0.1")
        for _, caller in self.each():
            self.assertEqual(logged(caller.base_url, {"X-Forwarded-For": "203.0.113.9"}), "127.0.0.1")
        with Servers("--log-requests") as servers:
            requests.get(f"{servers.base_url}/none", headers={"X-Forwarded-For": "203.0.113.9"}, timeout=60)
            line = wait_for("the line", lambda: [l for l in list(servers.gateway.errors) if "/none" in l])[0]
            self.assertIn(" client=127.0.0.1 ", line)


if __name__ == "__main__":
    unittest.main()
