"""dm-lw on a live kernel."""
