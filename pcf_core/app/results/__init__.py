"""What the pages of a result draw: Overview, Tilt, Heat map, Risk and Caprice; verdicts of policies."""
