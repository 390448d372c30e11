"""What is scored, and by what: golds and runs from wherever they are held, submissions, and the basis of scores."""
