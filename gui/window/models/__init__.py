"""The user's models: kept in a file, edited, tried and chosen in dialogs."""
