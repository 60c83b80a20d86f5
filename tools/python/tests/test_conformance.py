"""The conformance runner against this client."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from server import ROOT, program


def test_the_client_conforms() -> None:
    try:
        runner = program("tidings-conformance")
    except FileNotFoundError:
        pytest.skip("tidings-conformance is not built")
    run = subprocess.run(
        [
            str(runner),
            "run",
            "--rpcd",
            str(program("rpcd")),
            "--client",
            f"{sys.executable} -m tidings.conformance",
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools" / "python" / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-5000:]
