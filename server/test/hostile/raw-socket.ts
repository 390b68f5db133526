import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A connection to a server, whose errors do not matter. From another address of this machine, where one is named. */
export async function openSocket(port: number, localAddress?: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', ...(localAddress === undefined ? {} : { localAddress }) })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** What comes until the server closes, or until it has been quiet for this long. */
export async function answerOn(socket: Socket, quietMs = 5_000): Promise<string> {
  const pieces: Buffer[] = []
  socket.on('data', (chunk: Buffer) => pieces.push(chunk))
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  for (let seen = -1; seen < pieces.length && !socket.destroyed;) {
    seen = pieces.length
    await Promise.race([closed, delay(quietMs, undefined, { ref: false })])
  }
  return Buffer.concat(pieces).toString('latin1')
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
}
