import type { Connection } from '../../networks/channels/connect-channel.ts'
import type { SandboxAuthorization } from '../../networks/providers/sandbox/authorization.ts'
import type { SandboxAccount } from './sandbox-accounts.ts'

/** What connects an account of the sandbox network to a workspace. */
export function sandboxConnection(
  workspaceId: string,
  networkUrl: string,
  { id, handle, displayName, profile, token, authorizedUntil }: SandboxAccount,
): Connection {
  const authorization: SandboxAuthorization = { baseUrl: networkUrl, accessToken: token, accountId: id }
  const provider = `sandbox-${profile}`
  const authorizationEndsAt = authorizedUntil == null ? null : new Date(authorizedUntil)
  return {
    workspaceId,
    provider,
    remoteAccountId: id,
    displayName,
    handle,
    avatarUrl: null,
    authorization,
    authorizationEndsAt,
  }
}
