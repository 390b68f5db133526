import { words } from './words.ts'
/** How a client of MCP is pointed at this server. */
export type AgentClient = {
  readonly name: string
  /** What to do with the line. */
  readonly hint: string
  readonly line: string
}

/** The usual clients, each with its line for this address of MCP. Sources: the clients' own pages on MCP servers. */
export function agentClients(url: string): AgentClient[] {
  const shell = words.runInTerminal
  return [
    { name: 'Claude Code', hint: shell, line: `claude mcp add --transport http postrider ${url}` },
    { name: 'Codex', hint: shell, line: `codex mcp add postrider --url ${url}` },
    {
      name: 'VS Code',
      hint: shell,
      line: `code --add-mcp '${JSON.stringify({ name: 'postrider', type: 'http', url })}'`,
    },
    {
      name: 'Cursor',
      hint: words.putInto('~/.cursor/mcp.json'),
      line: JSON.stringify({ mcpServers: { postrider: { url } } }),
    },
    { name: words.webClients, hint: words.addConnector, line: url },
  ]
}

/** Whether a hosted client could reach this address: https, at its usual port, and by a name that is not a local one. */
export function isReachableFromOutside(url: string): boolean {
  const { protocol, port, hostname } = new URL(url)
  return (
    protocol === 'https:' &&
    port === '' &&
    hostname.includes('.') &&
    !/^[\d.]+$|\.(local|internal)$/.test(hostname)
  )
}
