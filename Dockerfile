# syntax=docker/dockerfile:1
# A static binary in an empty image. Any architecture that Rust and the base image support.
ARG RUST_IMAGE=rust:1.95-bookworm
FROM ${RUST_IMAGE} AS build
WORKDIR /src
COPY . .
# `--target` keeps procedural macros dynamic while the program itself is linked statically.
RUN target="$(rustc -vV | sed -n 's/^host: //p')" \
    && RUSTFLAGS='-C target-feature=+crt-static' cargo build --release --locked --target "$target" --bin nqueens \
    && install -D "target/$target/release/nqueens" /out/nqueens \
    && install -d -o 65532 -g 65532 /out/ledger

FROM scratch
LABEL org.opencontainers.image.title="nqueens" \
      org.opencontainers.image.description="Counts and lists the solutions of the N-Queens problem on a cluster" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /out/nqueens /nqueens
COPY --from=build --chown=65532:65532 /out/ledger /ledger
USER 65532:65532
ENTRYPOINT ["/nqueens"]
