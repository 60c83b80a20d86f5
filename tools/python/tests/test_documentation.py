"""The examples in the documentation."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from server import ROOT, Server

import tidings
import tidings.sync

PYTHON_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_the_example_of_the_readme_runs(server: Server) -> None:
    (example,) = PYTHON_BLOCK.findall((ROOT / "tools" / "python" / "README.md").read_text())
    program = example.replace("tcp://127.0.0.1:5570", server.rpc)
    assert program != example
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env={"PYTHONPATH": str(ROOT / "tools" / "python" / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (run.stdout, run.stderr) == ("h1 Berlin\n", "")


def test_installing_leaves_nothing_in_the_checkout(tmp_path: Path) -> None:
    package = ROOT / "tools" / "python"

    def files() -> set[Path]:
        return {path for folder in (package, package / "src") for path in folder.iterdir()}

    before = files()
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            *options,
            "--wheel-dir",
            str(tmp_path),
            str(package),
        ],
        check=True,
    )
    (wheel,) = tmp_path.glob("tidings-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert {"tidings/py.typed", "tidings/v1/record_pb2.pyi"} <= set(archive.namelist())
    assert files() == before


def test_names_in_the_page_exist() -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    blocks = PYTHON_BLOCK.findall(page)
    assert blocks
    for block in blocks:
        # A block may use await outside of a function, and may be incomplete.
        is_open = block.rstrip().endswith(":")
        compile(block + ("    pass" if is_open else ""), "docs", "exec", _TOP_LEVEL_AWAIT)
    for name in re.findall(r"\btidings\.([A-Za-z_]+)\b", "\n".join(blocks)):
        assert name in ("v1", "sync") or hasattr(tidings, name), name


_TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
