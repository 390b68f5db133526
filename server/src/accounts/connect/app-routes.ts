import { app } from '@postrider/contract'
import { connectionsToCheck } from '../../networks/channels/authorization-store.ts'
import { findAccount } from '../../networks/channels/channel-store.ts'
import { checkConnection } from '../../networks/channels/check-connection.ts'
import type { RefreshAuthorization } from '../../networks/channels/refresh-authorization.ts'
import { noSuchChannel } from '../../networks/channels/refuse-channel.ts'
import { viewFinding } from '../../networks/channels/view-finding.ts'
import { actorIn } from '../../edge/operations/actor.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { ownTransactionRoute, route, type Caller, type Route } from '../../edge/operations/route.ts'
import type { Provider } from '../../networks/providers/port/port.ts'
import { channelsIn, type ConnectParts, type NotConnected } from './connect-account.ts'
import { connectByForm } from './connect-by-form.ts'
import { fieldsOf } from './connect-fields.ts'
import { makeLink } from './connect-flow.ts'
import { readFlow, type FlowOutcome } from './connect-flow-store.ts'

export type ConnectRouteParts = {
  readonly connect: ConnectParts & {
    readonly baseUrl: string
    readonly withoutApp: readonly Provider[]
    readonly refresh: RefreshAuthorization
  }
  /** How often a connection may be checked: each check costs calls of its network, of which some are charged. */
  readonly checks: {
    readonly take: (channelId: string) => Promise<{ allowed: boolean; resetSeconds: number }>
  }
}

/** The routes by which people connect accounts of networks. */
export function connectRoutes({ connect, checks }: ConnectRouteParts): Route[] {
  const { providers, withoutApp } = connect
  return [
    route(app.listNetworks, async () => [
      ...[...providers.values()].map(viewNetwork).filter(({ fields, signIn }) => fields !== null || signIn),
      ...withoutApp.map(viewWithoutApp),
    ]),
    ownTransactionRoute(app.connectChannel, async ({ body }, { caller, sql: db }) => {
      const provider = providers.get(body.provider)
      if (provider === undefined || provider.connecting.form === null)
        return noSuchWay(connect, body.provider)
      const { workspaceId } = caller
      const target = { workspaceId, channelId: body.channelId ?? null, actor: actorIn(caller) }
      const parts = { ...connect, db, recordAct: recordWhileHeld(connect, caller) }
      const result = await connectByForm(parts, target, provider, body.fields)
      if (result.is !== 'connected') return refuseConnection(result)
      const { channelId, handle, reconnected, resumed } = result
      return { channelId, handle, reconnected, resumed }
    }),
    route(app.checkConnection, async ({ params: { channelId } }, { caller: { workspaceId }, sql }) => {
      const [row] = await connectionsToCheck(sql, { workspaceId, channelId })
      if (row === undefined) return noSuchChannel()
      const { allowed, resetSeconds } = await checks.take(channelId)
      if (!allowed) return tooManyChecks(resetSeconds)
      const now = () => new Date()
      const findings = await checkConnection({ ...connect, now }, row)
      const viewed = findings.map((one) => viewFinding(row.provider, one))
      return { checkedAt: now().toISOString(), findings: viewed }
    }),
    route(app.createConnectLink, async ({ body }, { caller, sql, audit }) => {
      const { provider, channelId = null, accounts = [] } = body
      const { workspaceId } = caller
      if ((providers.get(provider)?.connecting.oauth ?? null) === null) return noSuchWay(connect, provider)
      const known = channelId === null ? null : await findAccount(sql, { workspaceId, channelId })
      if (channelId !== null && known?.provider !== provider)
        return refuse('not_found', 'No channel of this network with this ID was found in this workspace.')
      const target = { workspaceId, channelId, actor: actorIn(caller) }
      const fields = { ...(known === null ? {} : { handle: known.handle }), ...body.fields }
      const { id, url } = await makeLink({ db: sql }, target, provider, connect.baseUrl, fields, accounts)
      audit({ ...(channelId === null ? {} : { subject: { channelId } }), after: { provider } })
      return { url, linkId: id }
    }),
    route(app.readConnectLink, async ({ params: { linkId } }, { caller: { workspaceId }, sql }) => {
      const flow = await readFlow(sql, { workspaceId, linkId })
      return flow === null
        ? refuse('not_found', 'No link with this ID was found in this workspace.')
        : viewOutcome(flow)
    }),
  ]
}

function tooManyChecks(retryAfterSeconds: number): Refusal<'rate_limited'> {
  const detail = `This connection was checked several times within a minute. Wait ${retryAfterSeconds} seconds, then try again.`
  return refuse('rate_limited', detail, { retryAfterSeconds })
}

function viewNetwork({ provider, displayName, connecting: { form, oauth } }: Provider): app.Network {
  const fields = form === null ? null : fieldsOf(form.fields)
  return { provider, displayName, fields, signIn: oauth !== null, needs: [] }
}

/** The settings of an app are named after its network, or after the one that shares it. */
function viewWithoutApp({ provider, displayName, app: shared }: Provider): app.Network {
  const name = shared ?? provider.toUpperCase()
  const needs = [`${name}_CLIENT_ID`, `${name}_CLIENT_SECRET`]
  return { provider, displayName, fields: null, signIn: false, needs }
}

function viewOutcome({ outcome, isOver }: { outcome: FlowOutcome | null; isOver: boolean }) {
  if (outcome === null) {
    const status: 'expired' | 'open' = isOver ? 'expired' : 'open'
    return { status, detail: null, channels: [] }
  }
  if (outcome.is === 'refused') return { status: outcome.is, detail: outcome.detail, channels: [] }
  return { status: outcome.is, detail: null, channels: [...channelsIn(outcome)] }
}

/** Nothing is stored when the person lost the right while the network was asked. */
function recordWhileHeld({ recordAct }: ConnectParts, { hold }: Caller): ConnectParts['recordAct'] {
  return async (tx, act) => {
    // An act is recorded in the transaction of its change.
    await hold?.(tx)
    await recordAct(tx, act)
  }
}

function noSuchWay(
  { withoutApp }: Pick<ConnectRouteParts['connect'], 'withoutApp'>,
  name: string,
): Refusal<'validation_failed'> {
  const network = withoutApp.find(({ provider }) => provider === name)
  const detail =
    network === undefined
      ? `This server cannot connect accounts of the network ${name} in this way. \`listNetworks\` says what it can.`
      : `This server has no app at ${network.displayName}. The server operator registers one, and sets ${viewWithoutApp(network).needs.join(' and ')}.`
  return refuse('validation_failed', detail, {
    errors: [{ pointer: '/provider', code: 'not_offered', detail }],
  })
}

function refuseConnection(result: NotConnected): Refusal<'validation_failed' | 'not_ready'> {
  if (result.is === 'unavailable') return refuse('not_ready', result.detail)
  const { code, detail, field } = result
  const pointer = field === undefined ? '/fields' : `/fields/${field}`
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}
