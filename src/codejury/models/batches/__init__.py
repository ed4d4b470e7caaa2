"""Batches: many questions at once, answered within a day at half the price.

journal    what was submitted, on the disk before and after
services   how OpenAI, Anthropic, Google and Mistral take batches
collect    a job from its requests to its results, whatever happens in between
model      a model that is asked in batches, and looks like any other to a run

A request has a number of its own: a hash of what is asked and of the sample's number. The journal knows which
numbers are with a service, so a run that was killed finds them there, and submits none of them again.
"""
