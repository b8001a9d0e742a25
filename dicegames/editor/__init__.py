"""Floor 5: rules files in an editor: a language server, by the protocol that editors share."""
