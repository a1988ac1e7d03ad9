"""Requests on the wire: HTTP and the SDKs of services."""
