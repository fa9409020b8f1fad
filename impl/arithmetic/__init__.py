"""Integer kernels, convolution and the fields of Section 8."""
