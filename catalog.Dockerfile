# The catalog as an image that OLM can start. Another registry's opm:
# make catalog-build CONTAINER_TOOL="docker --build-arg=OPM_IMAGE=..."
ARG OPM_IMAGE=quay.io/operator-framework/opm:v1.56.0
FROM ${OPM_IMAGE} AS builder
COPY catalog /configs
# What serving reads is made now, not at each start.
RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]

FROM ${OPM_IMAGE}
COPY --from=builder /configs /configs
COPY --from=builder /tmp/cache /tmp/cache
LABEL operators.operatorframework.io.index.configs.v1=/configs
ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]
