import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'

/** A network's server of pictures: one of an account for each path, of a colour of its own. */
export async function openPictureServer(): Promise<
  { origin: string; asked: readonly string[] } & AsyncDisposable
> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { url = '/' } = request
    asked.push(url)
    void drawn(url).then((picture) => response.writeHead(200, { 'content-type': 'image/png' }).end(picture))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function drawn(name: string): Promise<Buffer> {
  const hue = Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 360, 0)
  const face = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">
    <rect width="200" height="200" fill="hsl(${hue} 55% 45%)"/>
    <circle cx="100" cy="78" r="38" fill="hsl(${hue} 60% 85%)"/>
    <path d="M30 200a70 70 0 0 1 140 0z" fill="hsl(${hue} 60% 85%)"/></svg>`
  return sharp(Buffer.from(face)).png().toBuffer()
}
