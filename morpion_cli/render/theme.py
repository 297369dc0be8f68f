"""Colours of pictures: light and dark, told apart by people who see colours differently too (after Okabe and Ito)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Colours as CSS; `directions` are those of lines, by the direction's name in a record."""

    paper: str
    faint: str
    ink: str
    accent: str
    disc: str
    last: str
    number: str
    clue: str
    directions: dict[str, str]


# For pages that switch between themes.
VARIABLES = Theme(
    **{name: f"var(--{name})" for name in ("paper", "faint", "ink", "accent", "disc", "last", "number", "clue")},
    directions={name: f"var(--{name})" for name in ("H", "V", "DP", "DN")},
)


def declarations(theme: Theme) -> str:
    """Return the values of the CSS variables in VARIABLES."""
    values = {key: value for key, value in vars(theme).items() if key != "directions"}
    return "".join(f"--{key}:{value};" for key, value in {**values, **theme.directions}.items())


THEMES = {
    "light": Theme(
        paper="#fff",
        faint="#e6e6e6",
        ink="#222",
        accent="#0072b2",
        disc="#fff",
        last="#ffe08a",
        number="#111",
        clue="#e6e6e6",
        directions={"H": "#0072b2", "V": "#d55e00", "DP": "#009e73", "DN": "#aa3377"},
    ),
    "dark": Theme(
        paper="#16181d",
        faint="#2a2e36",
        ink="#e8e8e8",
        accent="#56b4e9",
        disc="#16181d",
        last="#6b5300",
        number="#f4f4f4",
        clue="#343a45",
        directions={"H": "#56b4e9", "V": "#f0904a", "DP": "#2ec4a0", "DN": "#e08fc4"},
    ),
}
