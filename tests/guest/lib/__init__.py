"""What only the tests in a guest need: their limits, their variants, and what they tell the host."""
