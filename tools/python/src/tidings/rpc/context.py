"""ZeroMQ contexts whose end nobody waits for in a destructor."""

from __future__ import annotations

import errno
import os
import resource
import threading

import zmq

from tidings.rpc import limits

Context = zmq.Context[zmq.Socket[bytes]]

_open: set[Context] = set()
"""Contexts that have not ended. pyzmq ends a context when it is collected, and waits until its
sockets are closed, which may be collected after it."""


def make_context() -> Context:
    """Makes a context; raises :class:`OSError` if too few descriptors are left for its sockets."""
    check_descriptors()
    context: Context = zmq.Context()
    _open.add(context)
    return context


def end_context(context: Context) -> None:
    """Waits until the sockets of a context are closed and have sent what they linger for."""
    context.term()
    _open.discard(context)


def end_context_later(context: Context) -> None:
    """Ends a context without waiting."""
    threading.Thread(target=end_context, args=(context,), name="tidings-end", daemon=True).start()


def check_descriptors() -> None:
    """Raises :class:`OSError` before libzmq would end the process for lack of descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return
    try:
        count = len(os.listdir("/proc/self/fd"))
    except FileNotFoundError:
        # The system does not say.
        return
    if soft - count < limits.DESCRIPTORS_MIN:
        raise OSError(
            errno.EMFILE,
            f"{count} of {soft} file descriptors are in use, too many for another connection: "
            "close some, or raise the limit of open files",
        )
