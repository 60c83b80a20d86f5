"""The reliable inbox: a user's notifications, each exactly once and in order.

In reading order: ``account`` (what it requires of a client), ``recent_ids``, ``push_content``
(decrypting and validating pushes), ``progress`` (the position of a stream in the log), ``state``
(what to do next, as a pure value), ``stream`` (the asyncio shell), ``errors``, ``position`` and
``position_file`` (what survives a restart), ``ledger`` (what is delivered and committed) and
``inbox``.
"""
