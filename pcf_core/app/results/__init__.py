"""The pages Overview, Tilt, Heat map, Risk and Caprice; verdicts of policies."""
