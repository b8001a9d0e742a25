"""What kernels rest on: compiled functions, vectors, threads, the model as plain arrays."""
