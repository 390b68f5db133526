import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  authorizedUntilMs,
  maxCharactersOf,
  newAccountId,
  newToken,
  tokenHash,
  viewAccountForControl,
} from './accounts.ts'
import type { Account, Idempotency } from './accounts.ts'
import { send } from './answering.ts'
import { schemas } from './api-schemas.ts'
import { isOwnHost } from './control-host.ts'
import type { Profile } from './counting.ts'
import type { FaultPlan } from './faults.ts'
import { refuse } from './refusals.ts'
import type { World } from './world.ts'

type NewAccountBody = {
  handle: string
  displayName?: string
  profile: Profile
  idempotency?: Idempotency
  maxCharacters?: number
  authorizedSeconds?: number
}
type NewFaultPlanBody = Pick<FaultPlan, 'fault'> & Partial<Pick<FaultPlan, 'match' | 'times'>>
type ById = { Params: { id: string } }

/**
 * The control API. It asks for no credential, so the network listens on loopback by default;
 * a call that carries an Origin, or another name in its Host, is refused, so that no web page can make one through a
 * browser.
 */
export function addControlRoutes(app: FastifyInstance, world: World): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.origin !== undefined) return send(reply, refuse('forbidden'))
    if (isOwnHost(request.headers.host, world.ownNames())) return
    const message =
      'The control API is not reached by this name. Use its address, localhost, or its own name.'
    return send(reply, refuse('forbidden', { message }))
  })
  addAccountControls(app, world)
  addFaultControls(app, world)
  addCounts(app, world)
}

function addAccountControls(app: FastifyInstance, { store, baseUrl, nowMs }: World): void {
  const view = (account: Account) => viewAccountForControl(account, baseUrl())

  app.post<{ Body: NewAccountBody }>(
    '/accounts',
    { schema: { body: schemas.newAccount } },
    (request, reply) => {
      const { handle, profile, displayName = handle, idempotency = 'none' } = request.body
      const { maxCharacters = maxCharactersOf[profile], authorizedSeconds = null } = request.body
      const account = {
        id: newAccountId(),
        handle,
        displayName,
        profile,
        maxCharacters,
        idempotency,
        authorizedSeconds,
        authorizedUntilMs: authorizedUntilMs(authorizedSeconds, nowMs()),
      }
      const token = newToken()
      if (!store.addAccount(account, tokenHash(token))) return send(reply, refuse('handle_taken'))
      return reply.code(201).send({ ...view({ ...account, revoked: false }), token })
    },
  )

  app.get('/accounts', () => ({ items: store.accounts().map(view) }))

  app.post<ById>('/accounts/:id/revoke', { schema: { body: schemas.nothing } }, (request, reply) => {
    store.setRevoked(request.params.id, true)
    const account = store.accountById(request.params.id)
    return account === null ? send(reply, refuse('account_not_found')) : view(account)
  })

  app.post<ById & { Body: { newToken?: boolean } }>(
    '/accounts/:id/restore',
    { schema: { body: schemas.restore } },
    (request, reply) => {
      store.setRevoked(request.params.id, false)
      const account = store.accountById(request.params.id)
      if (account === null) return send(reply, refuse('account_not_found'))
      if (request.body.newToken !== true) return view(account)
      const token = newToken()
      const renewed = { ...account, authorizedUntilMs: authorizedUntilMs(account.authorizedSeconds, nowMs()) }
      store.replaceToken(account.id, tokenHash(token), renewed.authorizedUntilMs)
      return { ...view(renewed), token }
    },
  )
}

function addFaultControls(app: FastifyInstance, { store }: World): void {
  app.post<{ Body: NewFaultPlanBody }>(
    '/faults',
    { schema: { body: schemas.newFaultPlan } },
    (request, reply) => {
      const { match = {}, fault, times = 1 } = request.body
      return reply.code(201).send(store.addFaultPlan({ match, fault, times }))
    },
  )

  app.get('/faults', () => ({ items: store.faultPlans() }))

  app.delete('/faults', (_request, reply) => {
    store.removeFaultPlans()
    return reply.code(204).send()
  })

  app.delete<ById>('/faults/:id', (request, reply) =>
    store.removeFaultPlan(request.params.id)
      ? reply.code(204).send()
      : send(reply, refuse('fault_not_found')),
  )
}

function addCounts(app: FastifyInstance, { store, counters }: World): void {
  app.get<{ Querystring: { accountId?: string; text?: string } }>(
    '/creates',
    { schema: { querystring: schemas.createsQuery } },
    (request) => {
      const byText = store.countCreates({ ...request.query, atLeast: 1 })
      return { total: sumOf(byText), byText }
    },
  )

  app.get('/creates/duplicates', () => {
    const items = store.countCreates({ atLeast: 2 })
    return { total: items.length, items }
  })

  app.get('/requests', () => counters.view())

  app.post<{ Body: { accounts?: boolean } }>(
    '/reset',
    { schema: { body: schemas.reset } },
    (request, reply) => clear({ store, counters }, request.body.accounts ?? false, reply),
  )
}

function clear(
  { store, counters }: Pick<World, 'store' | 'counters'>,
  accounts: boolean,
  reply: FastifyReply,
) {
  store.reset({ accounts })
  counters.clear()
  return reply.code(204).send()
}

function sumOf(counts: readonly { count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}
