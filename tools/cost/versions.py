"""What beside the sources decides how much a call takes."""

from __future__ import annotations

import ctypes
import re
import subprocess


def current_versions() -> str:
    """The versions of the compiler and of the C libraries."""
    libc = ctypes.CDLL(None)
    sqlite = ctypes.CDLL("libsqlite3.so.0")
    zeromq = ctypes.CDLL("libzmq.so.5")
    libc.gnu_get_libc_version.restype = sqlite.sqlite3_libversion.restype = ctypes.c_char_p
    numbers = [ctypes.c_int() for _ in range(3)]
    zeromq.zmq_version(*map(ctypes.byref, numbers))
    words = ["swift", "--version"]
    answer = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    compiler = re.search(r"Swift version (\S+)", answer)
    parts = {
        "Swift": compiler.group(1) if compiler else "?",
        "glibc": libc.gnu_get_libc_version().decode(),
        "libzmq": ".".join(str(number.value) for number in numbers),
        "SQLite": sqlite.sqlite3_libversion().decode(),
    }
    return ", ".join(f"{name} {version}" for name, version in parts.items())
