import pytest

# Pairs that take ten seconds and more to compile, of algorithms that other games show to work.
SLOW = {("priority", "samegame"), ("reflexive", "samegame"), ("flat-mc", "samegame"), ("depth-first", "samegame")}


@pytest.hookimpl(tryfirst=True)  # before the marks are looked at
def pytest_collection_modifyitems(items):
    for item in items:
        given = item.callspec.params if hasattr(item, "callspec") else {}
        if (given.get("algorithm"), given.get("loaded")) in SLOW:
            item.add_marker(pytest.mark.slow)
