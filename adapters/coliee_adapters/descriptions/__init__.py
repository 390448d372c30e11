"""What comes with a submission: system descriptions, and ir_metadata."""
