import {
  type CallToolResult,
  type InputRequiredResult,
  isCallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'

export type ToolResult = CallToolResult | InputRequiredResult

/** Asks a tool; null where there is none of that name. */
type Call = (name: string, given: Readonly<Record<string, unknown>>) => Promise<ToolResult> | null

const GUIDE = 'postrider://guide'
const WEEK_MS = 7 * 86_400_000

/** What can be read without a tool being called by a model. */
export const resourceList: readonly Resource[] = [
  {
    uri: GUIDE,
    name: 'guide',
    title: 'How to publish without doing anything twice',
    mimeType: 'text/markdown',
  },
]

export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: 'postrider://posts/{postId}',
    name: 'post',
    title: 'A post',
    description: 'With its status on each channel, and what may be done now.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'postrider://calendar/{day}',
    name: 'week',
    title: 'The calendar of a week',
    description: 'What is planned and published in the seven days from a day (UTC), such as 2026-12-07.',
    mimeType: 'application/json',
  },
]

/** Reads a resource, as the tool would that answers the same. */
export async function readResource(uri: string, guide: string, call: Call): Promise<ReadResourceResult> {
  if (uri === GUIDE) return { contents: [{ uri, mimeType: 'text/markdown', text: guide }] }
  const postId = /^postrider:\/\/posts\/([^/]+)$/.exec(uri)?.[1]
  if (postId !== undefined) return asResource(uri, await call('get_post', { postId }))
  const day = /^postrider:\/\/calendar\/(\d{4}-\d\d-\d\d)$/.exec(uri)?.[1]
  const from = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(from)) throw new ResourceNotFoundError(uri)
  const [start, end] = [new Date(from).toISOString(), new Date(from + WEEK_MS).toISOString()]
  return asResource(uri, await call('list_posts', { calendar: true, from: start, to: end }))
}

function asResource(uri: string, result: ToolResult | null): ReadResourceResult {
  const [content] = result !== null && isCallToolResult(result) ? result.content : []
  const text = content?.type === 'text' ? content.text : '{}'
  if (result?.isError !== true) return { contents: [{ uri, mimeType: 'application/json', text }] }
  const problem = JSON.parse(text) as { code: string; fix: string }
  if (problem.code === 'not_found') throw new ResourceNotFoundError(uri, problem.fix)
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem.fix, problem)
}
