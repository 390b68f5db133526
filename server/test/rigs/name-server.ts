import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type NameServer = AsyncDisposable & {
  /** As `dns.setServers` takes it. */
  readonly address: string
  /** The names that were asked for IPv4 addresses, in order. */
  readonly asked: string[]
}

/**
 * A DNS server on 127.0.0.1 that gives each name what `lookup` says for the n-th time it is asked (from 0):
 * IPv4 and IPv6 addresses, none (NXDOMAIN), or `silent`.
 */
export async function openNameServer(
  lookup: (name: string, time: number) => readonly string[] | 'silent',
): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    const times = asked.filter((each) => each === name).length
    if (type === 1) asked.push(name)
    const found = lookup(name, type === 1 ? times : Math.max(0, times - 1))
    if (found === 'silent') return
    const wanted = found.filter((address) => address.includes(':') === (type === 28))
    socket.send(answer(query.subarray(0, end), found.length === 0, type, wanted), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function answer(question: Buffer, unknown: boolean, type: number, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(unknown ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const data = type === 28 ? bytesOfIpv6(address) : Buffer.from(address.split('.').map(Number))
    const fixed = Buffer.from('c00c0000000100000000', 'hex')
    fixed.writeUInt16BE(type, 2)
    const size = Buffer.alloc(2)
    size.writeUInt16BE(data.length)
    return Buffer.concat([fixed, size, data])
  })
  return Buffer.concat([head, ...records])
}

function bytesOfIpv6(address: string): Buffer {
  const [left = '', right] = address.split('::')
  const groups = (text: string | undefined) => (text ?? '').split(':').filter((group) => group !== '')
  const [front, back] = [groups(left), groups(right)]
  const all = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => '0'), ...back]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
