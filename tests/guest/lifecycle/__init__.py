"""Tables, maps, daemons and the module come, change and go."""
