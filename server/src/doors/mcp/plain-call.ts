import type { IncomingHttpHeaders } from 'node:http'
import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { isSchema } from '../../edge/api/request/schema-shape.ts'
import { version } from '../../platform/process/version.ts'
import { REPLAYED, type ToolAnswer } from './tool-result.ts'
import type { Arguments } from './tools.ts'

/** A call of a tool in which nothing is left to decide: what it is answered in, and with which id. */
export type PlainCall = { readonly revision: 'modern' | 'legacy'; readonly id: string | number }

const MODERN = '2026-07-28'
/** Without the header it is a client of 2025, too. */
const LEGACY: readonly (string | undefined)[] = [undefined, '2025-06-18', '2025-11-25']
const OURS = 'io.modelcontextprotocol/'

/** The server, as each answer of the newest revision names it. */
export const SERVER_INFO = { name: 'postrider', title: 'Postrider', version }

/**
 * Nearly all messages are calls of tools, which the library answers in the time that an operation takes, too: it makes a server for each. So
 * those that are exactly as its own client sends them are answered without it, in the same words. Null for all others.
 */
export function plainCallIn(body: Arguments, headers: IncomingHttpHeaders): PlainCall | null {
  const { jsonrpc, id, method, params, ...others } = body
  const isCall = jsonrpc === '2.0' && method === 'tools/call' && isSchema(params) && isEmpty(others)
  if (!isCall || (typeof id !== 'string' && !Number.isSafeInteger(id)) || !isJsonBothWays(headers))
    return null
  const { name, arguments: given = {}, _meta: meta, ...unknown } = params
  if (typeof name !== 'string' || !isSchema(given) || !isEmpty(unknown)) return null
  const own = Object.keys(headers).filter((header) => header.startsWith('mcp-'))
  const { 'mcp-protocol-version': revision, 'mcp-method': named, 'mcp-name': tool } = headers
  if (revision === MODERN) {
    const agrees = named === method && tool === name && own.length === 3
    return agrees && isModernMeta(meta) ? { revision: 'modern', id: id as string | number } : null
  }
  const isLegacy = LEGACY.includes(revision as string | undefined) && own.length <= 1
  return isLegacy && isLegacyMeta(meta) ? { revision: 'legacy', id: id as string | number } : null
}

const SERVER_META = `${JSON.stringify(`${OURS}serverInfo`)}:${JSON.stringify(SERVER_INFO)}`

/** The answer, as the library writes it. */
export function plainAnswer({ revision, id }: PlainCall, { json, isError, replayed }: ToolAnswer): string {
  const meta = [...(replayed ? [`"${REPLAYED}":true`] : []), ...(revision === 'modern' ? [SERVER_META] : [])]
  const result = [
    `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`,
    ...(isError ? ['"isError":true'] : []),
    ...(revision === 'modern' ? ['"resultType":"complete"'] : []),
    ...(meta.length === 0 ? [] : [`"_meta":{${meta.join(',')}}`]),
  ].join(',')
  return `{"result":{${result}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
}

/** The same where the client is asked for something first. */
export function plainOffer({ id }: PlainCall, offer: InputRequiredResult): string {
  const result = { ...offer, _meta: { [`${OURS}serverInfo`]: SERVER_INFO } }
  return JSON.stringify({ result, jsonrpc: '2.0', id })
}

function isJsonBothWays({ accept, 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return takesJson(accept) && /^application\/json(?:; *charset=utf-8)?$/i.test(type)
}

/** Whether a client takes JSON, by its header `Accept` (RFC 9110, 12.5.1): without one it takes anything. */
export function takesJson(accept: string | undefined): boolean {
  if (accept === undefined) return true
  const types = accept.split(',').map((one) => one.trim().toLowerCase())
  return types.some((one) =>
    /^(?:application\/json|application\/\*|\*\/\*)(?: *;(?!.*\bq=0(?:\.0*)?(?: *;|$)).*)?$/.test(one),
  )
}

function isModernMeta(meta: unknown): boolean {
  if (!isSchema(meta)) return false
  const {
    [`${OURS}protocolVersion`]: revision,
    [`${OURS}clientInfo`]: client,
    [`${OURS}clientCapabilities`]: capabilities,
    ...others
  } = meta
  const isKnown = isSchema(client) && Object.values(client).every((value) => typeof value === 'string')
  const isNamed = isKnown && 'name' in client && 'version' in client
  return revision === MODERN && isNamed && isSchema(capabilities) && isEmpty(others)
}

/** What it says of progress is for those who send any. */
function isLegacyMeta(meta: unknown = {}): boolean {
  if (!isSchema(meta)) return false
  const { progressToken, ...others } = meta
  return isEmpty(others) && ['undefined', 'string', 'number'].includes(typeof progressToken)
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
