"""Errors of sealing and opening values."""

from __future__ import annotations

from tidings.rpc.errors import TidingsError


class KeyRingError(TidingsError):
    """A key ring cannot be used; the message shows no key."""


class EncryptionError(TidingsError):
    """A value could not be sealed or opened; the message shows no key."""


class MissingKey(EncryptionError):
    """The ring does not have the key that the value was sealed with."""


class NotOpened(EncryptionError):
    """The value was modified, or sealed for another location."""


class NotEncryptable(EncryptionError):
    """Lists, references and assets cannot be sealed."""
