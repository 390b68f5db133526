import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentClients, isReachableFromOutside } from './agent-clients.ts'

const docs = readFileSync(join(import.meta.dirname, '../../../../docs/mcp.md'), 'utf8')
const url = 'http://localhost:4000/mcp'

test.each(agentClients(url).filter(({ line }) => line !== url))(
  'the line for $name is the one in the docs',
  ({ line }) => {
    expect(docs).toContain(line)
  },
)

test('only a public https address at the usual port is reached by hosted clients', () => {
  const local = [url, 'https://postrider.example:8443/mcp', 'https://192.0.2.1/mcp', 'https://box.local/mcp']
  const addresses = [...local, 'https://postrider.example/mcp']
  expect(addresses.filter(isReachableFromOutside)).toEqual(['https://postrider.example/mcp'])
})
