import type { Db } from '../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import { tooManyTries } from '../sign-in/sign-in.ts'
import { holdSession } from '../sign-in/session/session-store.ts'
import {
  deviceCodesPerAddress,
  deviceCodesPerPerson,
  giveBackTry,
  takeTry,
} from '../sign-in/password/throttle-store.ts'
import { decideDeviceCode, findDeviceCode } from './artifact-store.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import {
  type AccessRequest,
  accessRequest,
  type Chosen,
  type Decider,
  type DecisionParts,
  grantAccess,
} from './consent.ts'
import { readCode } from './device-codes.ts'

/** What a program asks for that shows a code, and waits. */
export type DeviceRequest = AccessRequest & {
  readonly userCode: string
  /** How long ago it asked. */
  readonly minutes: number
}

/** Nothing waits under a code: it is none, its time is over, or another person was faster. */
export const OVER = refuse(
  'not_found',
  'No device waits under this code. Check it. Codes are good once, for 10 minutes: then start again on the device.',
)

/**
 * The request under a code that a person has entered. Each code that is none counts, by person and by address: the codes are
 * short, and whoever lets in the device of another gives it their own workspace.
 */
export async function readDeviceRequest(
  { server, db }: { readonly server: AuthorizationServer; readonly db: Db },
  typed: string,
  { personId, address }: Pick<Decider, 'personId' | 'address'>,
): Promise<DeviceRequest | Refusal<'not_found' | 'rate_limited'>> {
  const limits = [deviceCodesPerPerson(personId), deviceCodesPerAddress(address)]
  const waitSeconds = await takeTry(db, limits)
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  const userCode = readCode(typed)
  const found = userCode === null ? null : await findDeviceCode(db, userCode)
  if (userCode === null || found === null) return OVER
  await giveBackTry(db, limits)
  const { params, clientId, deviceInfo } = found.payload
  const client = await server.Client.find(String(clientId))
  if (client === undefined) return OVER
  const asked = params as Record<string, unknown>
  const { address: from } = deviceInfo as { address: string }
  return { ...accessRequest(client, asked, from), userCode, minutes: Math.max(0, found.minutes) }
}

/** Lets the device in with what the person has chosen; once, whoever else decides at the same moment. */
export async function allowDevice(
  parts: DecisionParts,
  request: DeviceRequest,
  chosen: Chosen,
  decider: Decider,
): Promise<null | typeof OVER | Refusal<'not_found' | 'validation_failed'>> {
  const { resources, userCode } = request
  const allowed = await grantAccess(parts, request, chosen, decider, async (tx, granted) => {
    const { artifactGrantId: grantId, permissions } = granted
    const payload = {
      accountId: decider.personId,
      grantId,
      scope: permissions.join(' '),
      resource: resources.length === 1 ? resources[0] : resources,
    }
    return (await decideDeviceCode(tx, userCode, { payload, grantId })) ? null : OVER
  })
  return isRefusal(allowed) ? allowed : null
}

/** Tells the device that the person denied it. */
export async function denyDevice(
  { db }: Pick<DecisionParts, 'db'>,
  { userCode }: DeviceRequest,
  decider: Decider,
): Promise<null | typeof OVER> {
  const payload = { error: 'access_denied', errorDescription: 'The person denied the request.' }
  return db.begin(async (tx) => {
    const session = await holdSession(tx, decider)
    if (!session.fresh) throw new ChangedMeanwhile()
    return (await decideDeviceCode(tx, userCode, { payload })) ? null : OVER
  })
}
