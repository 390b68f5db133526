import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Connection } from '../../src/platform/postgres/db.ts'

export type DatabaseProxy = AsyncDisposable & {
  /** The same database, by way of the proxy. */
  url: string
  /** How many connections were made. */
  connections: number
  /** How many round trips were asked for: a client waits after each Sync. */
  syncs: number
  /** Passes nothing on any more, and closes nothing. */
  freeze(): void
  thaw(): void
  /** Cuts every connection. */
  cut(): void
  /** Changes what clients send from now on. */
  rewrite: (bytes: Buffer) => Buffer
}

/** Stands between clients and the PostgreSQL of a test, to freeze, cut, count and change what they say to each other. */
export async function openDatabaseProxy(database: Connection): Promise<DatabaseProxy> {
  if ('url' in database) throw new Error('The proxy wants the folder of a socket.')
  const { host, port, user, database: name } = database
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(`${host}/.s.PGSQL.${port}`)
    proxy.connections += 1
    const counter = syncCounter()
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (bytes: Buffer) => {
      proxy.syncs += counter(bytes)
      upstream.write(proxy.rewrite(bytes))
    })
    upstream.on('data', (bytes: Buffer) => client.write(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: DatabaseProxy = {
    url: `postgresql://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    connections: 0,
    syncs: 0,
    rewrite: (bytes) => bytes,
    freeze: () => sockets.forEach((socket) => socket.pause()),
    thaw: () => sockets.forEach((socket) => socket.resume()),
    cut: () => sockets.forEach((socket) => socket.destroy()),
    async [Symbol.asyncDispose]() {
      proxy.cut()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

/** Counts the Sync messages in a client's stream; its first message, the startup, has no type. */
function syncCounter(): (bytes: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0)
  let started = false
  return (bytes) => {
    let syncs = 0
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return syncs
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return syncs
      if (started && rest[0] === 'S'.charCodeAt(0)) syncs += 1
      rest = rest.subarray(length)
      started = true
    }
  }
}
