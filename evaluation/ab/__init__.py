"""A/B tests in production: what was planned, what a look sees, and what it says."""
