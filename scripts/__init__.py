"""Entry points: each parses its arguments, wires services to the core, and prints."""
