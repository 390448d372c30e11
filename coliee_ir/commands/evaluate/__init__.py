"""What evaluate writes beside the scores."""
