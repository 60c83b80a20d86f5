"""Change feeds: what changed in a zone, and which zones of a database did."""
