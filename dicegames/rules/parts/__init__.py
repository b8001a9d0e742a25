"""What a checked game consists of: types, open values, instructions, patterns, tables, names."""
