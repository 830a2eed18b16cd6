//! Backends, solvers, scorers and the executor of one sample

pub mod backend;
pub mod context;
pub mod encoder;
pub mod executor;
pub mod limit;
pub mod mock_server;
pub mod prompt;
mod reading;
pub mod retry;
pub mod scorer;
pub mod solver;
#[cfg(test)]
mod testing;
