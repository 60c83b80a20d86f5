"""The client for programs without an event loop: the same API with blocking methods.

::

    with tidings.sync.Client("tcp://127.0.0.1:5570", user="ada") as client:
        client.database("private").save(tidings.Record("Notes", "n1", {"text": "Hello"}))

Each client runs an event loop on its own thread. Several threads can share a client, but not an
iteration. An interrupt (Ctrl-C) cancels the blocked call.
"""

from tidings.sync.client import Client
from tidings.sync.database import Database
from tidings.sync.inbox import Inbox
from tidings.sync.iteration import SyncIterator

__all__ = ["Client", "Database", "Inbox", "SyncIterator"]
