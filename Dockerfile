# The Go image may come from another registry:
# docker build --build-arg BASE_IMAGE=registry.example.com/golang:1.26 --tag ... .
ARG BASE_IMAGE=docker.io/library/golang:1.26
FROM --platform=${BUILDPLATFORM} ${BASE_IMAGE} AS builder
ARG TARGETOS
ARG TARGETARCH
WORKDIR /workspace

# Modules first: they change less often than the code.
COPY go.mod go.sum ./
RUN go mod download

COPY api/ api/
COPY cmd/ cmd/
COPY internal/ internal/
RUN CGO_ENABLED=0 GOOS=${TARGETOS:-linux} GOARCH=${TARGETARCH} go build -trimpath -ldflags="-s -w" -o manager ./cmd

FROM gcr.io/distroless/static:nonroot
WORKDIR /
COPY --from=builder /workspace/manager .
# A number, so that runAsNonRoot can be checked.
USER 65532:65532
ENTRYPOINT ["/manager"]
