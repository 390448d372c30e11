"""Tables and envelopes: how results are written, whatever they hold."""
