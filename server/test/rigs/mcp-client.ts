import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { toolAnswer, type ToolAnswer } from './mcp-message.ts'

/** The revisions that clients speak: the newest, and that of 2025 with its handshake. */
export const revisions = { '2026-07-28': 'auto', '2025-11-25': 'legacy' } as const
export type Revision = keyof typeof revisions

export type McpClient = AsyncDisposable & {
  readonly client: Client
  readonly call: (name: string, given?: Record<string, unknown>) => Promise<ToolAnswer>
}

/** The official client, signed in by a credential. */
export async function openMcpClient(
  baseUrl: string,
  key: string,
  { revision = '2026-07-28', query = '' }: { revision?: Revision; query?: string } = {},
): Promise<McpClient> {
  const client = new Client(
    { name: 'a test', version: '1' },
    { versionNegotiation: { mode: revisions[revision] } },
  )
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return {
    client,
    call: async (name, given = {}) => toolAnswer(await client.callTool({ name, arguments: given })),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
