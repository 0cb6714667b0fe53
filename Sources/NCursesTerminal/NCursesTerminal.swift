// The room of NCursesTerminal.
