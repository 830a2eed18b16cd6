//! Local encoders for embeddings and `BERTScore`.
