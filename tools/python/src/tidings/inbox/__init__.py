"""The reliable inbox: a user's notifications, each once, in order, nothing missed.

In reading order: ``account`` (what it needs of a client), ``recent_ids``, ``push_content`` (what a
push says, opened and checked),
``progress`` (where a stream stands in the log), ``state`` (what to do next, as a pure value),
``stream`` (the asyncio shell), ``errors``, ``position`` and ``position_file`` (what survives a
restart), ``ledger`` (what is handed out and committed) and ``inbox``.
"""
