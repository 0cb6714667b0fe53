// The room of Decoding.
