"""Stored evaluations as one table: a row for each file, kept in the user's cache."""
