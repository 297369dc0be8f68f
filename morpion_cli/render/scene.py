"""A game as SVG fragments step by step, from which pictures, animations and pages are made."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scene:
    """A game of n moves as n + 1 steps; step k is the game after k moves.

    width, height: in pixels.
    background: fragment behind every step, with definitions.
    layers: attributes of the group that holds a layer; the first is drawn first.
    steps: of each step the fragment of each layer, shape (n + 1, layers).
    cumulative: a step adds to those before it; otherwise it stands alone.
    marked: style, of each layer, of the newest step's group; only if cumulative.
    captions: of each step, plain text.
    """

    width: int
    height: int
    background: str
    layers: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    cumulative: bool
    marked: tuple[str, ...]
    captions: tuple[str, ...]

    @property
    def first(self) -> int:
        """Return the step to be shown when none is asked for: the last, or, of steps that stand alone, the start."""
        return len(self.steps) - 1 if self.cumulative else 0

    def body(self, step: int) -> str:
        """Return everything but the background at a step, as a fragment."""
        groups = []
        for layer, attributes in enumerate(self.layers):
            newest = self.steps[step][layer]
            if self.cumulative:
                older = "".join(each[layer] for each in self.steps[:step])
                mark = self.marked[layer]
                newest = older + (f'<g style="{mark}">{newest}</g>' if mark and step > 0 and newest else newest)
            if newest:
                groups.append(f"<g {attributes}>{newest}</g>")
        return "\n".join(groups)
