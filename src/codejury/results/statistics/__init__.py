"""Stored results as estimates: a table of evaluations in, tables with their uncertainty out.

Pure: reads no files, draws nothing, prints nothing; same frame and seed, same numbers. The frame is that of
`load_evaluations`.
"""
