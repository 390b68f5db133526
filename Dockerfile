# To build on exactly one image, name its digest: --build-arg BASE=node:24-bookworm-slim@sha256:…, which
# `docker buildx imagetools inspect node:24-bookworm-slim` shows. None is named here: it would keep out the fixes of Debian and Node.
ARG BASE=node:24-bookworm-slim
FROM ${BASE}
WORKDIR /app

COPY package.json package-lock.json .npmrc tsconfig.json ./
# The installation builds the server and its pages.
COPY LICENSE ./
COPY tools/build.js tools/build-all.ts tools/third-party.ts tools/
COPY contract contract/
COPY dashboard dashboard/
COPY sdk sdk/
COPY cli cli/
COPY server server/
COPY sandbox-network sandbox-network/
COPY bench/package.json bench/
COPY docs docs/
COPY docs-site docs-site/
COPY integrations integrations/
COPY README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md ./
RUN npm ci --omit=dev && npm cache clean --force

COPY . .
# PostgreSQL does not run as root.
RUN mkdir /data && chown node:node /data && ln -s /app/server/bin/postrider /usr/local/bin/postrider
USER node
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data STATUS_PORT=4002
VOLUME /data
EXPOSE 4000
# Whether it lives, on the status port, which every process has, whatever its roles. Whether it can work is for proxies to ask (/readyz):
# to end a server because its database is away would help nobody.
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.STATUS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server/dist/main.js", "serve"]
