"""A workspace of one's own, written from a template: the files that `prompt-eval init` leaves."""
