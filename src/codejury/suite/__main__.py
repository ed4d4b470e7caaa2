"""`python -m codejury.suite`: bring the shipped JSON Schema up to date with the code."""

from __future__ import annotations

from .schema import write_schema

if __name__ == "__main__":
    write_schema()
