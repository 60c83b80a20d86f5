"""Calls over ZeroMQ, the basis of the generated stubs.

In reading order: ``status``, ``errors``, ``limits``, ``options``, ``method``, ``nesting``,
``retry``, ``credit``, ``call_table`` (which call is sent, retried or failed, as a pure value),
``keys``, ``link`` and ``monitor`` (a socket and the state of its connection), ``ring`` (which of
several endpoints to connect to, and when, as a pure value), ``route``, ``failure``,
``stream``, ``transport``, ``connection`` (the asyncio shell) and ``subscriber`` (pushes).
"""
