"""Replayable games: the record, its file format, the referee that checks it, and its identity.

Plain Python, without numpy and numba, and knowing nothing of the engines: it is how they are checked.
"""
