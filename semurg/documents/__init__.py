"""From texts to passages: blocks, sentences, and the cutting. Knows no scope and stores nothing."""
