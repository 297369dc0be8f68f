"""Record hunting in single-player games by Monte-Carlo search."""

__version__ = "0.1.1"
