export type ToolAnswer = {
  readonly isError: boolean
  /** What came as `structuredContent`, which is the same as the text beside it, but for `replayed`. */
  readonly answer: any
  readonly replayed: boolean
}

/** A result of a tool; throws unless both its forms say the same, and its `_meta` whether the call was made before. */
export function toolAnswer(result: unknown): ToolAnswer {
  const { content, structuredContent, isError = false, _meta: meta } = result as any
  const [{ text }] = content
  if (content.length !== 1 || text !== JSON.stringify(structuredContent))
    throw new Error(`the two forms of a result differ: ${text}`)
  const { replayed = false, ...answer } = structuredContent
  if (replayed !== (meta?.['postrider/replayed'] === true))
    throw new Error(`a result says in one place alone that it is replayed: ${text}`)
  return { isError, answer, replayed }
}

/** One message as a client sends it that knows nothing of revisions, without any library. */
export function message(method: string, params: object, id: number | string = 1): object {
  return { jsonrpc: '2.0', id, method, params }
}

export const MCP_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const
