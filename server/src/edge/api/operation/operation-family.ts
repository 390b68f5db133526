import type { Operation } from '@postrider/contract'
import type { FastifyInstance } from 'fastify'
import type { Route } from '../../operations/route.ts'
import { type ApiReference, mountOpenApi } from '../documents/openapi-routes.ts'
import { type Gate, mountOperation, type MountOptions } from './operation-route.ts'

/** Operations that are entered in the same way, such as the Agent API's with a bearer credential. */
export type OperationFamily = {
  readonly operations: readonly Operation[]
  /** One for each of the operations. */
  readonly routes: readonly Route[]
  readonly gateFor: (operation: Operation) => Gate
  /** Where the family is described; null where only our own clients use it. */
  readonly reference: ApiReference | null
}

export type FamilyContext = Omit<MountOptions, 'gate'> & {
  /** The address clients use, without a slash at its end. */
  readonly baseUrl: string
  readonly version: string
}

/** Mounts every operation of a family, and its description. Throws unless each operation has exactly one route. */
export function mountFamily(app: FastifyInstance, family: OperationFamily, context: FamilyContext): void {
  const { baseUrl, version, ...shared } = context
  const { operations, gateFor, reference } = family
  for (const route of matchRoutes(operations, family.routes)) {
    mountOperation(app, route, { ...shared, gate: gateFor(route.operation) })
  }
  if (reference !== null) mountOpenApi(app, reference, { baseUrl, version, operations })
}

function matchRoutes(operations: readonly Operation[], routes: readonly Route[]): Route[] {
  const byId = new Map<string, Route>()
  for (const route of routes) {
    if (byId.has(route.operation.id)) throw new Error(`The operation ${route.operation.id} has two routes.`)
    byId.set(route.operation.id, route)
  }
  const matched = operations.map((operation) => {
    const route = byId.get(operation.id)
    if (route === undefined) throw new Error(`The operation ${operation.id} has no route.`)
    byId.delete(operation.id)
    return route
  })
  if (byId.size > 0)
    throw new Error(`No operation is declared for the routes ${[...byId.keys()].join(', ')}.`)
  return matched
}
