"""What an installation brings and leaves alone."""
