"""What vectors of texts say of a response: how it holds together, and how near it is to what was asked and said."""
