"""Lines of recipes with what a careful cook says of them, written by authors who did not read the tables of foods.

`open` was read while the tables grew; of `shut` the totals were seen, and four steps that its author named.
"""
