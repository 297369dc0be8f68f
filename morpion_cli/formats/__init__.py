"""How a record stands in a file: the formats that people exchange. Plain Python; imports only `grid`."""
