"""The sections `game:` and `algorithm:`, wherever they stand, from keys and values to checked options."""

from typing import Any

from pydantic import ValidationError

from morpion_cli.algorithms.catalog import AlgorithmEntry, find_algorithm
from morpion_cli.algorithms.options import SearchOptions
from morpion_cli.algorithms.policy import check_policy
from morpion_cli.config.mistakes import Mistakes
from morpion_cli.config.yaml_tree import Location
from morpion_cli.errors import UserError
from morpion_cli.games.catalog import GameEntry, find_game
from morpion_cli.games.options import GameOptions

DEFAULT_GAME = "5D"
DEFAULT_ALGORITHM = "mcbs"


def check_game(
    section: dict[str, Any], mistakes: Mistakes, place: Location, nested: bool = True
) -> tuple[GameEntry | None, GameOptions | None]:
    """Return the game of a section and its options; None for what is wrong, which is added to the mistakes.

    nested: whether its name stands under a key `name` of its own.
    """
    chosen = dict(section)
    try:
        game = find_game(str(chosen.pop("name", DEFAULT_GAME)))
    except UserError as error:
        mistakes.add((*place, "name") if nested else place, str(error).removeprefix("game: "))
        return None, None
    try:
        return game, game.options.model_validate(chosen)
    except ValidationError as error:
        mistakes.add_all(error, game.options, place, game.name)
        return game, None


def check_algorithm(
    section: dict[str, Any], game: GameEntry | None, mistakes: Mistakes, place: Location
) -> tuple[AlgorithmEntry | None, SearchOptions | None]:
    """Return the algorithm of a section and its options, checked to fit the game; as `check_game`."""
    chosen = dict(section)
    try:
        algorithm = find_algorithm(str(chosen.pop("name", DEFAULT_ALGORITHM)))
    except UserError as error:
        mistakes.add((*place, "name"), str(error).removeprefix("algorithm: "))
        return None, None
    try:
        options = algorithm.options.model_validate(chosen)
    except ValidationError as error:
        mistakes.add_all(error, algorithm.options, place, algorithm.name)
        return algorithm, None
    rollout = getattr(options, "rollout", "uniform")
    needed = "tabu-color" if rollout == "either" else rollout
    if game is not None and needed not in game.rollouts:
        mistakes.add((*place, "rollout"), f"{game.name} knows {' and '.join(game.rollouts)}, not {rollout}")
    if game is not None and (policy := getattr(options, "policy_in", None)) is not None:
        try:
            check_policy(policy, game)
        except UserError as error:
            mistakes.add((*place, "policy_in"), str(error))
    return algorithm, options
