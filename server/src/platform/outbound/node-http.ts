/*
 * Node's HTTP. An `import` of it reads each of its exports, and with `WebSocket` loads all of the undici that Node has inside: 10 MB, in a
 * server that never uses it. Types are imported from `node:http` itself, by `import type`.
 */
export const { createServer, IncomingMessage, request, STATUS_CODES } = process.getBuiltinModule('node:http')
