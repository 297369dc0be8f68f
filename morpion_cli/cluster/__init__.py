"""Hunts on many machines, with Dask distributed: the extra `cluster`."""
