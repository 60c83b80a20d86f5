"""What a program in Python does with rpcgw, with requests and curl."""

import base64
import datetime
import hashlib
import json
import subprocess
import unittest

import requests
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from programs import Caller, Events, Servers, subscribe, wait_for


class ClientTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = Servers()
        cls.addClassCleanup(cls.servers.__exit__)

    def setUp(self):
        self.caller = Caller(self.servers.base_url, container=self.id().split(".")[-1])

    def test_records(self):
        saved = self.caller.create("Houses", "h1", city="Bern", price=5)
        self.assertEqual(saved["fields"]["price"], {"value": 5, "type": "INT64"})
        change = {
            "recordName": "h1",
            "recordType": "Houses",
            "recordChangeTag": saved["recordChangeTag"],
            "fields": {"price": {"value": 6}},
        }
        update = {"operations": [{"operationType": "update", "record": change}]}
        self.assertEqual(self.caller.post("records/modify", update)["records"][0]["fields"]["price"]["value"], 6)
        stale = self.caller.post("records/modify", update)["records"][0]
        self.assertEqual(stale["serverErrorCode"], "CONFLICT")
        self.assertEqual(stale["serverRecord"]["fields"]["price"]["value"], 6)
        found = self.caller.post("records/lookup", {"records": [{"recordName": "h1"}, {"recordName": "no"}]})
        self.assertEqual([r.get("serverErrorCode") for r in found["records"]], [None, "NOT_FOUND"])

    def test_query(self):
        for number in range(5):
            self.caller.create("Houses", f"h{number}", price=number)
        query = {
            "recordType": "Houses",
            "filterBy": [{"fieldName": "price", "comparator": "GREATER_THAN", "fieldValue": {"value": 0}}],
            "sortBy": [{"fieldName": "price", "ascending": False}],
        }
        names, marker = [], None
        while True:
            page = {"query": query, "resultsLimit": 3}
            if marker:
                page["continuationMarker"] = marker
            answer = self.caller.post("records/query", page)
            names += [record["recordName"] for record in answer["records"]]
            marker = answer.get("continuationMarker")
            if not marker:
                break
        self.assertEqual(names, ["h4", "h3", "h2", "h1"])
        missing = self.caller.post("records/query", {"query": {"recordType": "Nothing"}}, status=404)
        self.assertEqual(missing["reason"], "Did not find record type: Nothing")

    def test_zones_and_changes(self):
        zone = {"zoneID": {"zoneName": "trips"}}
        made = self.caller.post("zones/modify", {"operations": [{"operationType": "create", "zone": zone}]})
        token = made["zones"][0]["syncToken"]
        self.caller.create("Trips", "t1", zone="trips", n=1)
        self.caller.create("Trips", "t2", zone="trips", n=2)

        def changes(**options):
            return self.caller.post("changes/zone", {"zones": [zone | options]})["zones"][0]

        self.assertEqual([r["recordName"] for r in changes(syncToken=token)["records"]], ["t1", "t2"])
        self.assertEqual([r["recordName"] for r in changes(reverse=True)["records"]], ["t2", "t1"])
        listed = {z["zoneID"]["zoneName"]: z for z in self.caller.post("zones/list")["zones"]}
        self.assertEqual(changes(syncToken=listed["trips"]["syncToken"])["records"], [])
        database = self.caller.post("changes/database")
        self.assertIn("trips", [z["zoneID"]["zoneName"] for z in database["zones"]])

    def test_events_resume(self):
        subscribe(self.caller, "Houses")
        events = Events(self.caller)
        self.caller.create("Houses", "h1")
        wait_for("the first event", lambda: events.records() == ["h1"])
        events.close()
        self.caller.create("Houses", "h2")
        resumed = Events(self.caller, events.position)
        wait_for("the event that was missed", lambda: resumed.records() == ["h2"])
        resumed.close()

    def test_courier(self):
        subscribe(self.caller, "Houses")
        created = requests.post(
            f"{self.servers.base_url}/device/1/{self.caller.container}/development/tokens/create",
            params=self.caller.query,
            data=json.dumps({"apnsEnvironment": "development"}),
            timeout=60,
        ).json()
        self.caller.create("Houses", "h1")
        poll = requests.get(created["webcourierURL"], timeout=90)
        self.assertEqual(poll.json()["ck"]["qry"]["rid"], "h1")

    def test_assets(self):
        upload = {"tokens": [{"recordType": "Houses", "recordName": "h1", "fieldName": "plan"}]}
        url = self.caller.post("assets/upload", upload)["tokens"][0]["url"]
        content = bytes(range(256)) * 1000
        sent = requests.post(url, files={"file": ("plan.pdf", content, "application/pdf")}, timeout=60)
        asset = sent.json()["singleFile"]
        self.assertEqual(asset["size"], len(content))
        self.caller.create("Houses", "h1", plan=asset)
        record = self.caller.post("records/lookup", {"records": [{"recordName": "h1"}]})["records"][0]
        url = record["fields"]["plan"]["value"]["downloadURL"].replace("${f}", "plan.pdf")
        self.assertEqual(requests.get(url, timeout=60).content, content)

    def test_users(self):
        self.assertEqual(self.caller.post("users/caller", scope="public")["userRecordName"], "ada")
        guest = Caller(self.servers.base_url, user=None, container=self.caller.container)
        refused = guest.post("records/query", {"query": {"recordType": "Houses"}}, status=421)
        self.assertEqual(refused["serverErrorCode"], "AUTHENTICATION_REQUIRED")

    def test_curl(self):
        url = f"{self.caller.url('records/modify')}?ckAPIToken=x&ckWebAuthToken=dev%3Aada"
        body = '{"operations": [{"operationType": "create", "record": {"recordType": "Houses", "recordName": "h1"}}]}'
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--fail", "--data", body, url],
            capture_output=True, timeout=60, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b'"recordName":"h1"', done.stdout)
        upload = self.caller.post("assets/upload", {"tokens": [{"recordType": "Houses", "fieldName": "plan"}]})
        sent = subprocess.run(
            ["curl", "--silent", "--fail", "--form", f"file=@{__file__}", upload["tokens"][0]["url"]],
            capture_output=True, timeout=60, check=True,
        )
        self.assertIn("receipt", json.loads(sent.stdout)["singleFile"])


class SignatureTests(unittest.TestCase):
    def test_a_server_signs_its_requests(self):
        with Servers(keys=True) as servers:
            key = ec.generate_private_key(ec.SECP256R1())
            path = servers.folder / "eckey-pub.pem"
            path.write_bytes(
                key.public_key().public_bytes(
                    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
                )
            )
            servers.administer(
                "users", "create", "importer", "--generate-key", servers.folder / "importer.key",
                "--role", "app/developer",
            )
            made = servers.administer(
                "web-tokens", "create-server-key", path, "--user", "importer", "--container", "app", "-o", "jsonl"
            )
            key_id = find(json.loads(made), "serverKeyId", "serverKeyID", "keyId", "keyID")
            record = {"recordType": "Houses", "recordName": "h1", "fields": {"n": {"value": 1}}}
            body = json.dumps({"operations": [{"operationType": "create", "record": record}]}).encode()
            path = "/database/1/app/development/public/records/modify"

            def post(content, signed=body):
                date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
                digest = base64.b64encode(hashlib.sha256(signed).digest()).decode()
                signature = key.sign(f"{date}:{digest}:{path}".encode(), ec.ECDSA(hashes.SHA256()))
                headers = {
                    "X-Apple-CloudKit-Request-KeyID": key_id,
                    "X-Apple-CloudKit-Request-ISO8601Date": date,
                    "X-Apple-CloudKit-Request-SignatureV1": base64.b64encode(signature).decode(),
                }
                return requests.post(servers.base_url + path, data=content, headers=headers, timeout=60)

            forged = post(body.replace(b"h1", b"h2"))
            self.assertEqual(forged.status_code, 401, forged.text)
            saved = post(body)
            self.assertEqual(saved.status_code, 200, saved.text)
            self.assertEqual(saved.json()["records"][0]["created"]["userRecordName"], "importer")


def find(value, *names):
    """The first member of one of the names, at any depth."""
    if isinstance(value, dict):
        for name in names:
            if name in value:
                return value[name]
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            found = find(member, *names)
            if found:
                return found
    return None


if __name__ == "__main__":
    unittest.main()
