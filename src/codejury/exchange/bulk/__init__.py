"""Bulk judging: a file of answers in, the same lines with their verdicts out.

    plan = prepare(answers, definitions, output)
    tally = run(plan, judge)

Neither file is ever held in memory. The output is written line by line, in the order of the input, so a run
that ends early, by whatever cause, leaves a file that the next run goes on with.
"""
