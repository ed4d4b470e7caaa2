"""The web site: the board, and every answer behind it. Static files, no server, no network.

templates/    the pages          static/    the browser's side: plain JavaScript and one style sheet
"""
