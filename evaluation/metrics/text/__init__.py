"""Metrics of any text, from the text alone: six formulas from 0 to 1, and standard indices on scales of their own."""
