"""The client under test of the conformance runner: ``python -m tidings.conformance``.

``tidings-conformance run --client 'python -m tidings.conformance'`` tells it over standard input
what to do, as ``proto/tidings/conformance/v1/conformance.proto`` says.
"""
