"""Stopping a search that runs."""

import threading
import time

from morpion_cli.kernel.random import task_stream


def seconds_to_stop(search):
    """Run a search for 0.2 s in a thread, stop it, and return how long it took to end."""
    thread = threading.Thread(target=search.run, args=(task_stream(1, 0),))
    thread.start()
    time.sleep(0.2)
    search.stop()
    begun = time.perf_counter()
    thread.join(10)
    return time.perf_counter() - begun
