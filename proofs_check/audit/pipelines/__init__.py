"""Audits of pipelines, whose noise is that of ideal primitives: by shifts of the noise, exactly."""
