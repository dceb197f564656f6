"""Reads what free text says about ingredients, time, servings and diet."""
