import { noApprovalPolicy, noLimits, type Operation, operation, permissionNames } from '@postrider/contract'
import * as contract from '@postrider/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import {
  agentApi,
  type AgentApiLimits,
  type AgentApiParts,
  bearerCounts,
} from '../../src/edge/api/operation/agent-api.ts'
import { type ApiParts, buildApi } from '../../src/edge/api/api.ts'
import { noCounts } from './no-counts.ts'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import type { OperationFamily } from '../../src/edge/api/operation/operation-family.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { createMetrics } from '../../src/platform/process/metrics.ts'
import { refuse } from '../../src/edge/operations/refusal.ts'
import { type Caller, type Route, route } from '../../src/edge/operations/route.ts'

/** A caller with every permission, unless told otherwise. */
export function aCaller(change: Partial<Caller['credential']> = {}, workspaceId = WORKSPACE): Caller {
  return {
    workspaceId,
    credential: {
      id: '01900000-0000-7000-8000-00000000000c',
      type: 'agent_key',
      name: 'test',
      permissions: permissionNames,
      expiresAt: null,
      limits: noLimits,
      approval: noApprovalPolicy,
      ...change,
    },
    member: {
      id: '01900000-0000-7000-8000-00000000000d',
      personId: '01900000-0000-7000-8000-00000000000f',
      name: 'Ada',
      email: 'ada@example.com',
      role: 'owner',
    },
  }
}

export const WORKSPACE = '01900000-0000-7000-8000-00000000000a'
export const AN_ID = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
export const BASE_URL = 'https://postrider.test'

/** Credentials that the edge under test knows. */
export const callers: Record<string, Caller> = {
  good: aCaller(),
  reader: aCaller({ id: '01900000-0000-7000-8000-00000000000e', permissions: ['posts:read'] }),
}

/** A write with its key in the header, and shapes that the contract's own operations do not have. */
export const knock = operation({
  id: 'knock',
  at: 'POST /agent/v1/doors/{doorId}/knock',
  asks: 'agent',
  tag: 'Doors',
  summary: 'Knock',
  description: 'Knocks.',
  permission: 'posts:write',
  params: contract.exact({ doorId: contract.Id }),
  body: contract.exact({
    confirmed: contract.Confirmed,
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    at: Type.Optional(contract.InstantInput),
    notes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    door: Type.Optional(
      Type.Union([
        contract.exact({ left: Type.String() }),
        contract.exact({ right: Type.Array(Type.String()) }),
      ]),
    ),
  }),
  idempotency: 'header',
  answer: {
    status: 201,
    schema: contract.exact({ knockId: contract.Id, note: contract.nullable(Type.String()) }),
    description: 'The knock.',
  },
  problems: ['invalid_state'],
})

export type Knocks = { begun: number; answer: () => Promise<unknown> }

/** Routes for every operation of the contract, and `knock`, whose answer the test decides. */
export function testRoutes(knocks: Knocks): { operations: Operation[]; routes: Route[] } {
  const operations = [...contract.operations, knock]
  const quiet = contract.operations.map((declared): Route => ({
    operation: declared,
    handle: async () => ('items' in declared.answer.schema ? [] : refuse('internal_error', 'not here')),
  }))
  const knocking = route(
    knock,
    async () => {
      knocks.begun += 1
      return (await knocks.answer()) as { knockId: string; note: string | null }
    },
    { location: ({ knockId }) => `/agent/v1/knocks/${knockId}` },
  )
  return { operations, routes: [...quiet, knocking] }
}

export type Edge = AsyncDisposable & {
  app: FastifyInstance
  knocks: Knocks
  /** What was logged so far, line by line. */
  logged: Record<string, unknown>[]
}

type EdgeOptions = {
  db?: Db
  config?: Partial<ApiParts['config']>
  limits?: Partial<AgentApiLimits>
  /** Families of operations beside the Agent API's. */
  families?: readonly OperationFamily[]
} & Partial<Pick<AgentApiParts, 'routes' | 'operations' | 'authenticate'>> &
  Partial<
    Pick<ApiParts, 'log' | 'metrics' | 'readiness' | 'warnings' | 'ailment' | 'mounts' | 'sendNotFoundPage'>
  >

/** The HTTP edge over test routes. Without a database, only what needs none can be asked of it. */
export async function openEdge(options: EdgeOptions = {}): Promise<Edge> {
  const {
    db = noDatabase(),
    config,
    limits,
    families = [],
    routes,
    operations,
    authenticate,
    ...parts
  } = options
  const knocks: Knocks = { begun: 0, answer: async () => ({ knockId: AN_ID, note: null }) }
  const logged: Record<string, unknown>[] = []
  const tested = testRoutes(knocks)
  const baseUrl = config?.baseUrl ?? BASE_URL
  const agents = agentApi({
    db,
    routes: routes ?? tested.routes,
    operations: operations ?? tested.operations,
    authenticate: authenticate ?? (async (_db, secret) => callers[secret] ?? null),
    baseUrl,
    settings: {},
    counts: bearerCounts({ perMinute: 100_000, ...limits }, noCounts),
  })
  const app = buildApi({
    db,
    families: [agents, ...families],
    recordAct,
    config: { version: '0.0.0', trustProxy: false, metrics: 'open', ...config, baseUrl },
    log: createLog({
      level: 'info',
      destination: { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) },
    }),
    metrics: createMetrics(),
    readiness: async () => ({
      status: 'ready',
      database: 'reachable',
      reason: null,
      schema: 'current',
      workers: [],
    }),
    warnings: async () => [],
    ...parts,
  })
  await app.ready()
  return { app, knocks, logged, [Symbol.asyncDispose]: () => app.close() }
}

function noDatabase(): Db {
  const refuse = () => Promise.reject(new Error('This edge has no database.'))
  return Object.assign(refuse, { share: noDatabase, together: noDatabase }) as unknown as Db
}
