import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

/** An id of the sandbox network, as it stands in paths. */
export const RemoteId = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })

export const SandboxAuthorization = Type.Object({
  baseUrl: Type.String(),
  accessToken: Type.String(),
  accountId: RemoteId,
})

/** A channel's credential at the sandbox network. */
export type SandboxAuthorization = Static<typeof SandboxAuthorization>

export const sandboxAuthorization = storedAs(SandboxAuthorization, 'The authorization of a sandbox channel')
