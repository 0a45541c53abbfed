FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /server ./cmd/server

# The program needs nothing but itself: no shell, no libraries, no certificates, no files.
FROM scratch
COPY --from=build /server /server
USER 65532:65532
ENV STAMPEDE_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD ["/server", "healthcheck"]
ENTRYPOINT ["/server"]
