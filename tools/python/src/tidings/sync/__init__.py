"""The client for programs without an event loop: the same surface, whose methods wait.

::

    with tidings.sync.Client("tcp://127.0.0.1:5570", user="ada") as client:
        client.database("private").save(tidings.Record("Notes", "n1", {"text": "Hello"}))

A thread of the client's own runs the loop. A client may be used by several threads; an iteration
belongs to one. An interrupt (Ctrl-C) cancels the call that waits.
"""

from tidings.sync.client import Client
from tidings.sync.database import Database
from tidings.sync.inbox import Inbox
from tidings.sync.iteration import SyncIterator

__all__ = ["Client", "Database", "Inbox", "SyncIterator"]
