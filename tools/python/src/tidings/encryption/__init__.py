"""Values that only clients with the key can read."""
