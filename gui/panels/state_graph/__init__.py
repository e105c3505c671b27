"""The state graph panel."""
