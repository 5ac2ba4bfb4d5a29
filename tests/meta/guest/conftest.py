"""The very fixtures and hooks the real guest tests have: they are what is tested."""
from tests.dm.conftest import *  # noqa: F401,F403
