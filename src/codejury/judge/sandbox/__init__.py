"""The only package that runs Julia. Reports facts, never points."""
