// The room of Containers.
