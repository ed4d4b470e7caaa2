"""Does judging work here? Tried on this machine, with this Julia and this sandbox.

examine_machine -> Machine -> run_selftest -> Checks, one after the other
judge_once      the shortest form: one worker, one verdict
"""
