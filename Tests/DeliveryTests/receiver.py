"""Receives deliveries as services do, checks them with other code than the sender's, and prints a line for each.

Makes keys in FOLDER, listens with HTTP/1.1 on one port and with HTTP/2 over TLS on another, and prints both ports
first. It ends with its standard input.

usage: receiver.py FOLDER [PORT]
"""

from __future__ import annotations

import asyncio
import base64
import datetime
import hmac
import ipaddress
import json
import os
import ssl
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import h2.config
import h2.connection
import h2.events
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import NameOID

folder = Path(sys.argv[1])
lock = threading.Lock()
seen: dict[str, int] = {}
running: dict[str, int] = {}
changed = threading.Condition(lock)
# How many requests for each host must be in flight before the first is answered.
AWAITED = 5
filled: set[str] = set()


def note(entry: dict) -> None:
    with lock:
        print(json.dumps(entry), flush=True)


def signers(headers: dict, body: bytes) -> list[int]:
    """Which of the tests' secrets signed a webhook (Standard Webhooks)."""
    message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    given = headers["webhook-signature"].split(" ")
    found = []
    for index in range(3):
        code = hmac.digest(bytes([index] * 32), message, "sha256")
        if "v1," + base64.b64encode(code).decode() in given:
            found.append(index)
    return found


def times(path: str) -> int:
    with lock:
        seen[path] = seen.get(path, 0) + 1
        return seen[path]


def unpadded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def pem(key) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def point(key) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


browser = ec.generate_private_key(ec.SECP256R1())
auth = os.urandom(16)
vapid = ec.generate_private_key(ec.SECP256R1())
apns = ec.generate_private_key(ec.SECP256R1())
account = rsa.generate_private_key(65537, 2048)


def token_claims(token: str, key) -> tuple[dict, dict]:
    """Header and claims of a JSON Web Token that the key signed; raises for another."""
    head, claims, signature = token.split(".")
    message, raw = f"{head}.{claims}".encode(), unpadded(signature)
    if isinstance(key, rsa.RSAPrivateKey):
        key.public_key().verify(raw, message, padding.PKCS1v15(), hashes.SHA256())
    else:
        der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        key.public_key().verify(der, message, ec.ECDSA(hashes.SHA256()))
    return json.loads(unpadded(head)), json.loads(unpadded(claims))


def opened(body: bytes) -> str:
    """The message of a Web Push body: RFC 8188 and RFC 8291."""
    salt, size, length = body[:16], struct.unpack(">I", body[16:20])[0], body[20]
    public, sealed = body[21 : 21 + length], body[21 + length :]
    assert len(sealed) <= size and len(body) <= 4096
    shared = browser.exchange(
        ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    )
    info = b"WebPush: info\0" + point(browser) + public
    secret = HKDF(hashes.SHA256(), 32, auth, info).derive(shared)
    key = HKDF(hashes.SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
    nonce = HKDF(hashes.SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
    message = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
    assert message[-1:] == b"\2"
    return message[:-1].decode()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments) -> None:
        pass

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        count = times(self.path)
        entry = {"path": self.path, "headers": headers, "body": body.decode("latin-1"), "count": count}
        entry["at"] = time.monotonic()
        try:
            if self.path.startswith("/push"):
                entry["message"] = opened(body)
                token = headers["authorization"].removeprefix("vapid t=").split(", k=")
                entry["claims"] = token_claims(token[0], vapid)[1]
                entry["key"] = token[1] == b64url(point(vapid))
            if self.path.startswith("/hook"):
                entry["signedBy"] = signers(headers, body)
            if self.path == "/token":
                assertion = body.decode().split("assertion=")[1]
                entry["claims"] = token_claims(assertion, account)[1]
        except Exception as error:  # noqa: BLE001: the test wants to see it
            entry["failure"] = repr(error)
        note(entry)
        self.reply(count, body)

    def answer_busy(self) -> None:
        """Answers after a while, the first when others are in flight too, and notes how many are."""
        host = self.headers["Host"].rpartition(":")[0]
        with changed:
            running[host] = running.get(host, 0) + 1
            count = running[host]
            if count >= AWAITED:
                filled.add(host)
                changed.notify_all()
        note({"path": "/running", "host": host, "count": count})
        with changed:
            changed.wait_for(lambda: host in filled, timeout=20)
        time.sleep(0.01)
        with lock:
            running[host] -= 1
        self.answer(200)

    def reply(self, count: int, body: bytes) -> None:
        parts = self.path.strip("/").split("/")
        if self.path == "/token":
            token = "opened" if count == 1 else f"opened-{count}"
            return self.answer(200, json.dumps({"access_token": token, "expires_in": 3600}).encode())
        if parts[0] == "v1":
            if b'"once-refused"' in body and self.headers["Authorization"] == "Bearer opened":
                return self.answer(401, b'{"error": {"code": 401, "status": "UNAUTHENTICATED"}}')
            if b'"gone"' in body:
                details = [{"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError"}]
                details[0]["errorCode"] = "UNREGISTERED"
                error = {"error": {"code": 404, "status": "NOT_FOUND", "details": details}}
                return self.answer(404, json.dumps(error).encode())
            return self.answer(200, b'{"name": "projects/p/messages/1"}')
        match parts[1:]:
            case ["fail", number] if count <= int(number):
                self.answer(500, b"not yet")
            case ["status", number]:
                self.answer(int(number), b"no")
            case ["redirect"]:
                self.answer(302, Location="/stolen")
            case ["later"] if count == 1:
                self.answer(503, Retry_After="3")
            case ["huge"]:
                self.send_response(200)
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    for _ in range(1000):
                        self.wfile.write(b"x" * 65536)
                except OSError:
                    note({"path": "/cut"})
                self.close_connection = True
            case ["hang", *_]:
                time.sleep(3600)
            case ["busy", *_]:
                self.answer_busy()
            case ["slow"] if count == 1:
                time.sleep(30)
            case _:
                self.answer(200)


async def serve_h2(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection of APNs."""
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.initiate_connection()
    writer.write(connection.data_to_send())
    requests: dict[int, dict] = {}
    while data := await reader.read(65536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                headers = {
                    name.decode() if isinstance(name, bytes) else name: value.decode()
                    if isinstance(value, bytes)
                    else value
                    for name, value in event.headers
                }
                requests[event.stream_id] = {"headers": headers, "body": b""}
            elif isinstance(event, h2.events.DataReceived):
                requests[event.stream_id]["body"] += event.data
                connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                reply_h2(connection, event.stream_id, requests.pop(event.stream_id))
        writer.write(connection.data_to_send())
        await writer.drain()
    writer.close()


expired: dict[str, str] = {}


def reply_h2(connection, stream: int, request: dict) -> None:
    path = request["headers"][":path"]
    entry = {"path": path, "headers": request["headers"], "body": request["body"].decode()}
    entry["count"] = times(path)
    try:
        bearer = request["headers"]["authorization"].removeprefix("bearer ")
        entry["token"], entry["claims"] = token_claims(bearer, apns)
    except Exception as error:  # noqa: BLE001
        entry["failure"] = repr(error)
    note(entry)
    status, body, more = "200", b"", []
    if path.endswith("dead"):
        gone = {"reason": "Unregistered", "timestamp": int(time.time() * 1000)}
        status, body = "410", json.dumps(gone).encode()
    elif path.endswith("01d0") and entry["count"] == 1:
        status, body = "410", b'{"reason": "Unregistered", "timestamp": 1}'
    elif path.endswith("e0e0"):
        # The token of the first request is too old for the others.
        expired.setdefault(path, entry["headers"]["authorization"])
        if entry["count"] > 1 and entry["headers"]["authorization"] == expired[path]:
            status, body = "403", b'{"reason": "ExpiredProviderToken"}'
    elif path.endswith("bad0"):
        status, body = "400", b'{"reason": "BadDeviceToken"}'
    elif path.endswith("c0de") and entry["count"] == 1:
        status, body, more = "429", b'{"reason": "TooManyRequests"}', [("retry-after", "2")]
    connection.send_headers(stream, [(":status", status), *more], end_stream=not body)
    if body:
        connection.send_data(stream, body, end_stream=True)


def certificate() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.utcnow()
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(True, None), True)
        .sign(key, hashes.SHA256())
    )
    (folder / "tls.key").write_bytes(pem(key))
    (folder / "tls.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))


async def main() -> None:
    certificate()
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Receiver)
    server.daemon_threads = True
    port = server.server_address[1]
    (folder / "vapid.pem").write_bytes(pem(vapid))
    (folder / "apns.p8").write_bytes(pem(apns))
    service = {"project_id": "p", "client_email": "tidings@p", "private_key": pem(account).decode()}
    service["token_uri"] = f"http://127.0.0.1:{port}/token"
    (folder / "fcm.json").write_text(json.dumps(service))
    keys = {"p256dh": b64url(point(browser)), "auth": b64url(auth)}
    subscription = {"endpoint": f"http://127.0.0.1:{port}/push/1", "keys": keys}
    (folder / "subscription.json").write_text(json.dumps(subscription))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "tls.pem", folder / "tls.key")
    context.set_alpn_protocols(["h2"])
    secure = await asyncio.start_server(serve_h2, "127.0.0.1", 0, ssl=context)
    print(f"ready {port} {secure.sockets[0].getsockname()[1]}", flush=True)
    await secure.serve_forever()


asyncio.run(main())
