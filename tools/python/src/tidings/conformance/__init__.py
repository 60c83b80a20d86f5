"""The client under test of the conformance runner: ``python -m tidings.conformance``.

``tidings-conformance run --client 'python -m tidings.conformance'`` starts it and sends tasks to
its standard input; ``proto/tidings/conformance/v1/conformance.proto`` describes them.
"""
