import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_EVERY_MS = 100

/**
 * Does something while no other process of the machine does it under the same name: others wait for it. What a process holds
 * ends with it, however that ends, since the kernel holds it: an abstract socket, which no file is left of. Where there are none,
 * that is outside of Linux, nobody waits.
 */
export async function oneAtATime<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  const address = `\0postrider-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
  const held = createServer().unref()
  for (let isHeld = process.platform !== 'linux'; !isHeld;) {
    isHeld = await once(held.listen(address), 'listening').then(
      () => true,
      (error: unknown) => {
        if (!isTaken(error)) throw error
        return false
      },
    )
    if (!isHeld) await delay(LOOK_EVERY_MS)
  }
  try {
    return await act()
  } finally {
    held.close()
  }
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
