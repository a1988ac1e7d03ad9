"""Send requests: over HTTP, or with the SDKs of services."""
