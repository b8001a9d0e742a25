"""Where answers go and how they look: streams, tables, pictures of text."""
