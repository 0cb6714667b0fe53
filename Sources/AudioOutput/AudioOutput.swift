// The room of AudioOutput.
