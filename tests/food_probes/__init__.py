"""Lines of recipes with what a careful cook says of them, written before the tables of foods and apart from them.

`open` was looked at while the tables grew, `shut` was not: its author had not seen them.
"""
