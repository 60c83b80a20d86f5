"""Ports that nobody else gets."""

from __future__ import annotations

import os
import socket


class ReservedPort:
    """A port on which one server after the other can listen, and that nobody else is given.

    It is bound, and never listens: whoever names the port can listen there (SO_REUSEADDR); until
    then connections are refused.
    """

    def __init__(self) -> None:
        with socket.socket() as bound:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(("127.0.0.1", 0))
            self.endpoint = f"tcp://127.0.0.1:{bound.getsockname()[1]}"
            self._descriptor = bound.detach()

    def __del__(self) -> None:
        os.close(self._descriptor)
