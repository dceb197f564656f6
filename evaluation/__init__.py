"""The pure core: records, rubrics, metrics, statistics and reports. It knows no network, clock, environment or file."""
