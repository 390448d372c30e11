"""What a path is, and how its bytes come: files, archives, mails, compressed data, addresses."""
