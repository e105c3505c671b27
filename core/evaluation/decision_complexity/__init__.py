"""The suite of section 4 of LLM-MCTS: when does a language model do better as a world model than as a policy?"""
