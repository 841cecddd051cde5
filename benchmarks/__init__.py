"""What semurg costs, each figure beside the limit of its parts measured in the same run. See `python -m benchmarks -h`.

Absolute times say more about the machine than about semurg: compare ratios. Nothing here is asserted by a test.
"""
