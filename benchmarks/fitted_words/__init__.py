"""The weights of words by which companion-v3 sees hinted danger and help: their examples, and how they are fitted.

A language model wrote the examples, one file in the role of one author.
"""
