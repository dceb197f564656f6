"""The files that a team writes: which kind each is, and what is wrong with it."""
