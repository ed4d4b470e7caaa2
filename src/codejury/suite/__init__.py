"""Test cases: definitions loaded, checked, saved, found, made and validated; how strong their tests are."""
