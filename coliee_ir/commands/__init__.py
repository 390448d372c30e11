"""What people do with scores: one package a command, named as it is typed."""
