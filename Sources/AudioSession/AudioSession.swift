// The room of AudioSession.
