"""An answer becomes an evaluation: extract its code, run it in a sandbox, score what happened."""
