// The task is taken out, and nothing has come in its place.
