import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves in a process that `startBeside` started, until that lets go of it. */
export async function serveBeside(server: Server): Promise<void> {
  const url = await listenLocally(server)
  process.once('disconnect', () => {
    server.close()
    server.closeAllConnections()
  })
  process.send?.({ url })
}

/** Listens on a free port of this machine, and gives the address. */
export async function listenLocally(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
