"""A folder of grids as a collection: what is there, what is the same, what is known. Plain Python."""
