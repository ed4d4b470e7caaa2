"""Why answers lose points: one kind of failure for each evaluation that lost some, and tables of them."""
