"""Learned rollout policies in files: a weight for each move code, as JSON.

Light to import: no numba.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from morpion_cli.errors import UserError, shown
from morpion_cli.files import read_file, write_atomic
from morpion_cli.games.catalog import GameEntry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FORMAT = "morpion-policy"
_VERSION = 1
_SIZE_LIMIT = 64 << 20  # bytes
_WEIGHT_LIMIT = 1e6


def write_policy(path: Path, game: GameEntry, weights: "NDArray[np.float32]", origin: dict[str, Any]) -> None:
    """Write a policy; codes without a line have weight 0. Raises UserError if it cannot be written.

    weights: shape (n_codes,).
    origin: where it comes from, for people.
    """
    import numpy as np

    (codes,) = np.nonzero(weights)
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "game": game.name,
        "rules_version": game.rules_version,
        "n_codes": len(weights),
        "origin": origin,
        "codes": codes,
        "weights": weights[codes],
    }
    write_atomic(path, orjson.dumps(document, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n")


def read_policy(path: str, game: GameEntry, n_codes: int) -> "NDArray[np.float32]":
    """Return the weights of a policy, shape (n_codes,). Raises UserError if it is not one of this game."""
    import numpy as np

    document = check_policy(path, game)
    if document.get("n_codes") != n_codes:
        raise UserError(f"{path}: n_codes: expected {n_codes}, got {shown(document.get('n_codes'))}")
    weights = np.zeros(n_codes, np.float32)
    for name, value in zip(document["codes"], document["weights"], strict=True):
        if type(name) is not int or not 0 <= name < n_codes:
            raise UserError(f"{path}: codes: expected whole numbers from 0 to {n_codes - 1}, got {shown(name)}")
        if type(value) not in (int, float) or not abs(value) <= _WEIGHT_LIMIT:
            raise UserError(f"{path}: weights: expected numbers from -1e6 to 1e6, got {shown(value)}")
        weights[name] = value
    return weights


def check_policy(path: str, game: GameEntry) -> dict[str, Any]:
    """Return the document of a policy file. Raises UserError if it is none, or one of another game; without numpy."""
    try:
        document = orjson.loads(read_file(Path(path), _SIZE_LIMIT))
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path}: not a policy file, or cut short: {error}") from None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise UserError(f"{path}: not a policy file: expected what 'morpion search --policy-out' has written")
    wanted = {"version": _VERSION, "game": game.name, "rules_version": game.rules_version}
    for key, value in wanted.items():
        if document.get(key) != value:
            raise UserError(f"{path}: {key}: expected {shown(value)}, got {shown(document.get(key))}")
    codes, values = document.get("codes"), document.get("weights")
    if not isinstance(codes, list) or not isinstance(values, list) or len(codes) != len(values):
        raise UserError(f"{path}: expected two lists of one length, 'codes' and 'weights'")
    return document
