"""AI2-THOR: photo-realistic rooms of the iTHOR set, played by Unity, through the package's own controller."""
