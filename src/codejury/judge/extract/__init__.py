"""From a model's answer to the pieces of code in it. Reads text only: nothing here runs or parses Julia.

answer -> without reasoning -> blocks of markdown -> Snippets, in order, each with its language tag

Which snippets become the candidate is decided later, by Julia's own parser; blocks of other languages are
handed on with their tag. All who look at answers read them here: the judge, `errors`, `show` and the site.
"""
