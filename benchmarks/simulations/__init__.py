"""The simulations behind docs/statistics.md: `make simulate` prints its tables with seeds of the caller's choice."""
