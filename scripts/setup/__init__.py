"""Setting the project up: what runs before there is an environment."""
