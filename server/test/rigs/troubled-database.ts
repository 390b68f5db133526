import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Connection } from '../../src/platform/postgres/db.ts'

export type TroubledDatabase = AsyncDisposable & {
  /** The same database by way of this. */
  readonly url: string
  /** From now on each statement fails with this SQLSTATE; `away`: there are no connections. Null for as before. */
  fail(how: string | null): void
  /** How many have failed since, by the names that applications give their connections. */
  readonly met: ReadonlyMap<string, number>
}

const CODE = { ready: 'Z', sync: 'S', query: 'Q', terminate: 'X' }

/**
 * Between a server and its PostgreSQL: what is sent while a connection is idle, and outside of transactions, is answered with an error
 * instead of being passed on. So each statement of all that works with the database fails, whether it reads or writes.
 */
export async function openTroubledDatabase(connection: Connection): Promise<TroubledDatabase> {
  if ('url' in connection) throw new Error('What is to fail is reached by the folder of its socket.')
  const { host, port, user, database } = connection
  const path = join(host, `.s.PGSQL.${port}`)
  const state = { how: null as string | null }
  const met = new Map<string, number>()
  const count = (name: string) => void met.set(name, (met.get(name) ?? 0) + 1)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (state.how === 'away') {
      const leave = (startup: Buffer) => {
        count(applicationOf(startup))
        client.destroy()
      }
      client.on('error', () => undefined)
      return void client.once('data', leave)
    }
    const upstream = connect({ path })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        for (const other of [client, upstream]) other.destroy()
      })
    }
    relay(client, upstream, state, count)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgresql://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`,
    met,
    fail(how) {
      state.how = how
      met.clear()
      if (how === 'away') for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

function relay(
  client: Socket,
  upstream: Socket,
  state: { how: string | null },
  count: (name: string) => void,
): void {
  let name = ''
  /** Of what was passed on and is not answered. */
  let pending = 1
  let isIdle = true
  let isFailing = false

  const answers = messageReader((type, message) => {
    if (type === CODE.ready) {
      pending -= 1
      isIdle = message.at(-1) === 'I'.charCodeAt(0)
    }
    client.write(message)
  })
  const asked = messageReader((type, message) => {
    if (type === null) name = applicationOf(message)
    isFailing ||= type !== null && state.how !== null && pending === 0 && isIdle && type !== CODE.terminate
    if (!isFailing) {
      if (type === CODE.sync || type === CODE.query) pending += 1
      upstream.write(message)
    } else if (type === CODE.sync || type === CODE.query) {
      isFailing = false
      count(name)
      client.write(Buffer.concat([errorOf(state.how ?? '57014'), READY]))
    }
  }, true)
  upstream.on('data', answers)
  client.on('data', asked)
}

/** Gives each message whole; the first of a client has no type. */
function messageReader(take: (type: string | null, message: Buffer) => void, isClient = false) {
  let rest = Buffer.alloc(0)
  let isFirst = isClient
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = isFirst ? 0 : 1
      if (rest.length < head + 4) return
      const length = head + rest.readInt32BE(head)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      const type = isFirst ? null : String.fromCharCode(message[0] ?? 0)
      isFirst = false
      take(type, message)
    }
  }
}

function applicationOf(startup: Buffer): string {
  const fields = startup.subarray(8).toString().split('\0')
  return fields[fields.indexOf('application_name') + 1] ?? ''
}

function errorOf(code: string): Buffer {
  const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0Mas ${code} says\0\0`)
  return message('E', fields)
}

const READY = message(CODE.ready, Buffer.from('I'))

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
