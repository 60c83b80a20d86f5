"""Stubs of a program's own protos, as ``tools/generate --python-out`` writes them."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from peer import Peer
from server import ROOT, program

PROTO = """
syntax = "proto3";
package greeter.v1;

// Greets \\"people\\".
service GreeterService {
  // Says hello.
  rpc SayHello(SayHelloRequest) returns (SayHelloResponse);
  // Counts down.
  rpc CountDown(SayHelloRequest) returns (stream SayHelloResponse) {
    option idempotency_level = NO_SIDE_EFFECTS;
  }
}
message SayHelloRequest { string name = 1; }
message SayHelloResponse { string greeting = 1; }
"""


def generate(folder: Path, proto: str) -> subprocess.CompletedProcess[str]:
    (folder / "greeter" / "v1").mkdir(parents=True)
    (folder / "greeter" / "v1" / "greeter.proto").write_text(proto)
    plugin = program("protoc-gen-tidings-python")
    command = ["protoc", f"--plugin={plugin}", "-I", str(folder), f"--python_out={folder}"]
    command += [f"--pyi_out={folder}", f"--tidings-python_out={folder}", "greeter/v1/greeter.proto"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


async def test_own_stubs_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert generate(tmp_path, PROTO).stderr == ""
    monkeypatch.syspath_prepend(str(tmp_path))
    messages: Any = importlib.import_module("greeter.v1.greeter_pb2")
    stubs: Any = importlib.import_module("greeter.v1.greeter_rpc")
    assert stubs.GreeterServiceClient.say_hello.__doc__ == "Says hello."
    async with Peer() as peer, peer.client() as client:
        greeter = stubs.GreeterServiceClient(client.transport)
        call = asyncio.ensure_future(greeter.say_hello(messages.SayHelloRequest(name="Ada")))
        heard = await peer.hear()
        assert heard.header.method == "greeter.v1.GreeterService/SayHello"
        name = messages.SayHelloRequest.FromString(heard.body).name
        await heard.answer(messages.SayHelloResponse(greeting=name + "!").SerializeToString())
        assert (await call).greeting == "Ada!"
        stream = greeter.count_down(messages.SayHelloRequest())
        heard = await peer.hear()
        await heard.answer(has_message=True)
        assert [one.greeting async for one in stream] == [""]
    for name in [name for name in sys.modules if name.startswith("greeter")]:
        del sys.modules[name]


def test_what_cannot_be_generated_is_told(tmp_path: Path) -> None:
    refused = generate(tmp_path, PROTO.replace("(SayHelloRequest)", "(stream SayHelloRequest)"))
    assert "streams requests" in refused.stderr


def test_the_checked_in_fixture_is_current(tmp_path: Path) -> None:
    protos = ROOT / "Tests" / "ProtoGenTests" / "Protos"
    plugin = program("protoc-gen-tidings-python")
    source = "fixture/v1/greeter_service.proto"
    command = ["protoc", f"--plugin={plugin}", "-I", str(protos)]
    subprocess.run([*command, f"--tidings-python_out={tmp_path}", source], check=True)
    name = "fixture/v1/greeter_service_rpc.py"
    golden = ROOT / "Tests" / "GeneratedFixturePython" / name
    assert (tmp_path / name).read_text() == golden.read_text()
