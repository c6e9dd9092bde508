"""What PyTorch does on a CUDA device, imitated on meta tensors while a step is recorded: which kernels and layouts it
takes, what cuDNN keeps, what autocast casts."""
