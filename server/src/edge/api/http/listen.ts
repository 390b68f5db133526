import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { codeOf } from '../../../platform/process/error-code.ts'
import { isLoopback } from '../../../platform/outbound/loopback.ts'

/** Where a server listens, and the address under which people open it. */
export type Listening = { readonly host: string; readonly port: number; readonly baseUrl: string }

/** The server cannot listen at an address; `cause` says why. */
export class NotListening extends Error {
  override name = 'NotListening'
  readonly host: string

  constructor(host: string, port: number, cause: unknown) {
    super(`nothing can listen at ${host}, port ${port}`, { cause })
    this.host = host
  }
}

/** A machine without IPv6, or without it at its loopback. */
const ABSENT: readonly (string | undefined)[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT']
const PORT_TRIES = 20

/**
 * The addresses to listen at. Browsers ask for `localhost` at `[::1]` or at 127.0.0.1: if one of them were left free, another user of
 * the machine could listen there, and be sent passwords and cookies.
 */
export function addressesOf({ host, baseUrl }: Omit<Listening, 'port'>): [string, ...string[]] {
  if (!isLoopback(baseUrl)) return [host]
  switch (host) {
    case 'localhost':
    case '127.0.0.1':
      return ['127.0.0.1', '::1']
    case '0.0.0.0':
      return [host, '::1']
    case '::1':
      return [host, '127.0.0.1']
    default:
      return [host]
  }
}

/**
 * Listens at all addresses of the server, which closes with it. Throws `NotListening` where one of them cannot be had; those after the
 * first are left out where the machine has no such address.
 */
export async function listen(
  server: FastifyInstance,
  at: Listening,
  [host, ...others] = addressesOf(at),
): Promise<void> {
  const { port } = at
  // Connections at the other addresses are handed to the one HTTP server, which owns their limits and their end.
  const listeners = others.map((other) => ({
    other,
    listener: createServer(SOCKETS_OF_HTTP, (socket) => void server.server.emit('connection', socket)),
  }))
  let closed: Promise<unknown>[] = []
  server.addHook('preClose', (done) => {
    closed = listeners.map(({ listener }) => new Promise((resolve) => listener.close(resolve)))
    done()
  })
  server.addHook('onClose', async () => void (await Promise.all(closed)))
  await server.listen({ host, port }).catch((error: unknown) => {
    throw new NotListening(host, port, error)
  })
  for (const { other, listener } of listeners) await openUnlessAbsent(listener, other, port)
}

/** As `node:http` opens its own. */
const SOCKETS_OF_HTTP = { allowHalfOpen: true, noDelay: true }

/** A port that is free at all addresses of the server. Throws `NotListening`. */
export async function findFreePort(at: Omit<Listening, 'port'>): Promise<number> {
  const [host, ...others] = addressesOf(at)
  for (let tries = 1; ; tries++) {
    const first = createServer()
    const probes = [first]
    try {
      const port = await open(first, host, 0)
      for (const other of others) {
        const probe = createServer()
        probes.push(probe)
        await openUnlessAbsent(probe, other, port)
      }
      return port
    } catch (error) {
      if (tries === PORT_TRIES || !(error instanceof NotListening && codeOf(error.cause) === 'EADDRINUSE'))
        throw error
    } finally {
      await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
    }
  }
}

async function openUnlessAbsent(server: Server, host: string, port: number): Promise<void> {
  try {
    await open(server, host, port)
  } catch (error) {
    if (!(error instanceof NotListening && ABSENT.includes(codeOf(error.cause)))) throw error
  }
}

/** Listens, and gives the port. */
async function open(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port })
  await once(server, 'listening').catch((error: unknown) => {
    throw new NotListening(host, port, error)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
