"""Models that turn text into vectors: plugged in, never required, never fetched."""
