import { createServer } from 'node:net'

/**
 * Below the range from which the system gives ports to whoever asks for any. Each worker of the tests takes its ports from a
 * range of its own, one after the other, so that no other takes one before a server listens there.
 */
const RANGE = 1_000
const FIRST = 10_000 + RANGE * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 20)
let taken = Math.floor(Math.random() * RANGE)

/** A port on 127.0.0.1 for a server that has to know it before it listens. */
export async function freePort(): Promise<number> {
  taken += 1
  const port = FIRST + (taken % RANGE)
  return (await isFree(port)) ? port : freePort()
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false))
  })
  server.listen(port, '127.0.0.1')
  const result = await free
  server.close()
  return result
}
