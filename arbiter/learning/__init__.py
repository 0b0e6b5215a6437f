"""Reinforcement learning: numbered actions, observations, a PettingZoo environment, and policies as bots."""
