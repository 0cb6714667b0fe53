// The room of Library.
