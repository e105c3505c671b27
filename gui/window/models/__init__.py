"""The user's models: dialogs to edit, test and choose them."""
