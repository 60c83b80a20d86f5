"""Calls over ZeroMQ: what generated stubs stand on.

In reading order: ``status``, ``errors``, ``limits``, ``options``, ``method``, ``nesting``,
``retry``, ``credit``, ``call_table`` (which call is sent, sent again or given up, as a pure value),
``keys``, ``link`` and ``monitor`` (a socket and what becomes of its connection), ``failure``,
``stream``, ``transport``, ``connection`` (the asyncio shell) and ``subscriber`` (pushes).
"""
