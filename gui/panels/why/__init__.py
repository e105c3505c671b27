"""The why panel: why an action was chosen and not another one."""
