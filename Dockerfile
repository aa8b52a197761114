# zoo with ONNX Runtime, which zoo setup checks by its hash:
#   docker build -t zoo .
#   docker build --build-arg SETUP="--provider cuda --with-cuda" -t zoo:cuda .    # then: docker run --gpus all zoo:cuda
FROM golang:1.26-bookworm AS build
ARG SETUP=""
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -trimpath -o /opt/zoo/zoo ./cmd/zoo
RUN XDG_CACHE_HOME=/cache /opt/zoo/zoo setup $SETUP && cp -a /cache/zoo/onnxruntime/*/*/. /opt/zoo/

FROM debian:bookworm-slim
COPY --from=build /opt/zoo /opt/zoo
ENV PATH=/opt/zoo:$PATH
ENTRYPOINT ["zoo"]
