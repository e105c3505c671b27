"""A small transformer, trained to imitate the expert, as policy (the paper's finetuned GPT-2; Zhao et al., 2023)."""
