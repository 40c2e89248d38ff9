"""Describes a folder of results as a Workflow Run RO-Crate, from its sidecars."""
