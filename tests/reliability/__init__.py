"""Every fault that a run must survive: a table of cases that `make faults` plays with the real commands."""
