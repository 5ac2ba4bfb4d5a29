"""The very fixtures and hooks the real guest tests have: they are what is tested."""
from tests.guest.conftest import *  # noqa: F401,F403
