// The room of TerminalUI.
