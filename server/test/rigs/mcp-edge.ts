import type { FastifyInstance } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { bearerCounts } from '../../src/edge/api/operation/agent-api.ts'
import { noCounts } from './no-counts.ts'
import { recordAct } from '../../src/people/audit/audit-store.ts'
import { type McpParts, mountMcp } from '../../src/doors/mcp/mount-mcp.ts'
import { tools } from '../../src/doors/mcp/tools.ts'
import { createLog } from '../../src/platform/process/log.ts'

/** Mounts the tools beside the operations that they ask for. There is no model. */
export function withTools(
  parts: Pick<McpParts, 'db' | 'routes' | 'authenticate' | 'baseUrl'> & Partial<McpParts>,
): (app: FastifyInstance) => void {
  return (app) =>
    mountMcp(app, {
      recordAct,
      log: createLog({ level: 'silent' }),
      counts: bearerCounts({ perMinute: 1_000_000 }, noCounts),
      models: { 'a model for texts': false, 'a model for images': false },
      ...parts,
    })
}

/** The call of a tool that stands for a request, by the path below `/agent/v1` and the body that it has over HTTP. */
export function toolCallFor(
  operationId: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): { name: string; given: Record<string, unknown> } {
  const tool = tools.find(({ operations }) => operations.some(({ id }) => id === operationId))
  const operation = tool?.operations.find(({ id }) => id === operationId)
  if (tool === undefined || operation === undefined) throw new Error(`no tool asks for ${operationId}`)
  const pattern = operation.at.replace(/^\w+ \/agent\/v1/, '').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  const ids = new RegExp(`^${pattern}$`).exec(path)?.groups ?? {}
  const { content, ...sent } = body
  const rest = Object.fromEntries(Object.entries(sent).filter(([name]) => name !== 'confirmed'))
  if (tool.name === 'write_series') {
    const { editToken, ...series } = rest
    const named = editToken === undefined ? {} : { editToken }
    return { name: tool.name, given: { idempotencyKey: uuidv7(), ...ids, ...named, series } }
  }
  const change = operationId === 'editPost' ? (content as object) : content === undefined ? {} : { content }
  return { name: tool.name, given: { idempotencyKey: uuidv7(), ...ids, ...rest, ...change } }
}
