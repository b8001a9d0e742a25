"""Solved games written for independent tools."""
