"""Files whose layout a protocol states."""
