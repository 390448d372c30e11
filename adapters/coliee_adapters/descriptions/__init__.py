"""What comes with a submission: system descriptions."""
