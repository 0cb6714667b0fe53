// The room of PulseOutput.
