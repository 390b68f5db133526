/** How one server is signed in to. */
export type Login =
  | { readonly kind: 'key'; readonly key: string }
  | {
      readonly kind: 'oauth'
      readonly clientId: string
      readonly tokenUrl: string
      readonly revocationUrl: string
      readonly resource: string
      readonly accessToken: string
      /** Milliseconds since 1970. */
      readonly expiresAt: number
      readonly refreshToken: string
      /** For the tools of MCP; absent until it is first needed. */
      readonly tools?: { readonly accessToken: string; readonly expiresAt: number }
    }

/** What a token is for: the API, or its tools for MCP, which take no token for the other (RFC 8707). */
export type Use = 'api' | 'tools'
