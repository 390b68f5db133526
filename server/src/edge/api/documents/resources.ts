/** What access tokens are issued for (RFC 8707): a token for one of them opens no other. */
export const resources = {
  agentApi: { path: '/agent/v1', name: 'Postrider Agent API', documentation: '/openapi' },
  mcp: { path: '/mcp', name: 'Postrider MCP server', documentation: '/llms.txt' },
} as const

export type Resource = (typeof resources)[keyof typeof resources]

/** Its address, by which tokens name it. */
export function resourceUrl(baseUrl: string, { path }: Resource): string {
  return `${baseUrl}${path}`
}

/** The resource that access tokens for the Agent API are issued for. */
export function agentResource(baseUrl: string): string {
  return resourceUrl(baseUrl, resources.agentApi)
}

/**
 * Where a client learns how to get a credential for it (RFC 9728). Only below the resource's own path: found at the root,
 * clients would ask for OAuth also where a key is all that is needed.
 */
export function resourceMetadataUrl(baseUrl: string, { path }: Resource): string {
  return `${baseUrl}/.well-known/oauth-protected-resource${path}`
}
