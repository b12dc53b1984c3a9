# A static binary in an empty image: `docker build --tag nqueens .`, for any architecture that Rust and the base image support.
ARG RUST_IMAGE=rust:1.95-bookworm
FROM ${RUST_IMAGE} AS build
WORKDIR /src
# `--target` keeps procedural macros dynamic while the program itself is linked statically.
ENV RUSTFLAGS="-C target-feature=+crt-static"

# The dependencies alone, which seldom change: a layer of their own, built with empty crates in place of ours.
COPY Cargo.toml Cargo.lock ./
COPY queens/Cargo.toml queens/
COPY scheduler/Cargo.toml scheduler/
COPY coordinator/Cargo.toml coordinator/
COPY worker/Cargo.toml worker/
COPY cli/Cargo.toml cli/
COPY simulation/Cargo.toml simulation/
RUN for crate in queens scheduler coordinator worker simulation; do \
        mkdir "$crate/src" && touch "$crate/src/lib.rs" || exit 1; \
    done \
    && mkdir proto cli/src && touch proto/lib.rs \
    && echo 'fn main() {}' | tee build.rs > cli/src/main.rs \
    && sed -i '/^\[\[bench\]\]/,/^$/d' */Cargo.toml \
    && cargo build --release --locked --target "$(rustc -vV | sed -n 's/^host: //p')" --bin nqueens

COPY . .
# Cargo goes by times, and those of the empty crates are later.
RUN find . -name '*.rs' -not -path './target/*' -exec touch {} + \
    && target="$(rustc -vV | sed -n 's/^host: //p')" \
    && cargo build --release --locked --target "$target" --bin nqueens \
    && install -D "target/$target/release/nqueens" /out/nqueens \
    && install -d -o 65532 -g 65532 /out/ledger

FROM scratch
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="nqueens" \
      org.opencontainers.image.description="Counts and lists the solutions of the N-Queens problem on a cluster" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /out/nqueens /nqueens
COPY --from=build --chown=65532:65532 /out/ledger /ledger
ENV NQUEENS_LEDGER=/ledger/nqueens.db
USER 65532:65532
# Of a coordinator; workers serve nothing, so switch it off for them.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["/nqueens", "health", "--connect-timeout", "4"]
ENTRYPOINT ["/nqueens"]
