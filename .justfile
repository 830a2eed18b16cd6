# Lists what can be done.
default:
    @just --list

# Formatting, lints and docs, as the gate checks them.
check:
    cargo fmt --check
    cargo lint
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Every test.
test:
    cargo test --workspace

# The sample study end to end.
demo:
    cargo run -- quickstart

# The acceptance scripts: kill -9, determinism, PubMedQA, the report's numbers.
accept:
    .ci/accept/all

# The whole gate, as on a fresh machine.
gate:
    .ci/run
