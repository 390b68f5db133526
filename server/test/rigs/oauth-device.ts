import * as oauth from 'oauth4webapi'
import { discover, insecure, register } from './oauth-flow.ts'
import type { OAuthWorld } from './oauth-world.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** A program without a browser, which has asked for access and shows its code. */
export type Device = {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly answer: oauth.DeviceAuthorizationResponse
}

/** Begins one, of a client that registers for it unless one is given. */
export async function beginDevice(
  server: Pick<OAuthWorld, 'resource'>,
  change: Record<string, string> = {},
  known?: oauth.Client,
): Promise<Device> {
  const as = await discover(server)
  const metadata = {
    redirect_uris: undefined,
    grant_types: [DEVICE_GRANT, 'refresh_token'],
    response_types: [],
  }
  const client = known ?? (await register(as, metadata))
  const parameters = { scope: 'posts:read channels:read', resource: server.resource, ...change }
  const asked = await oauth.deviceAuthorizationRequest(as, client, oauth.None(), parameters, insecure)
  return { as, client, answer: await oauth.processDeviceAuthorizationResponse(as, client, asked) }
}

/** The device asks for its tokens, as soon as it may. */
export async function poll({ as, client, answer }: Device): Promise<{ status: number; body: any }> {
  const asked = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), answer.device_code, insecure)
  return { status: asked.status, body: await asked.json() }
}
