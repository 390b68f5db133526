import type { InputRequest, InputRequiredResult } from '@modelcontextprotocol/server'
import { isSchema } from '../../edge/api/request/schema-shape.ts'
import type { ToolAnswer } from './tool-result.ts'
import type { Arguments } from './tools.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

/**
 * What a call is answered with where it asks for a post to be published now: a client that opens pages for its person is first asked to
 * open the one where they decide; null for all others. Then it sends the call again with what became of that, and is answered as all others are: the key makes
 * it the same post. Clients of 2025 can be asked only on a stream, which a write never has: they are told the address alone.
 */
export function offerToOpen(params: Arguments, { json, isError }: ToolAnswer): InputRequiredResult | null {
  const { name, arguments: given, inputResponses } = params
  const isAsked = name === 'create_post' && isSchema(given) && given['state'] === 'immediate'
  if (!isAsked || inputResponses !== undefined || isError || !opensPages(params)) return null
  const { approval } = JSON.parse(json) as { approval?: unknown }
  const url = isSchema(approval) && approval['status'] === 'pending' ? approval['reviewUrl'] : undefined
  if (typeof url !== 'string') return null
  const message = 'A person has to approve this post before it is published. Open the page where they decide?'
  // The library's type wants an id, which this revision has no more.
  const review = { method: 'elicitation/create', params: { mode: 'url', message, url } } as InputRequest
  return { resultType: 'input_required', inputRequests: { review } }
}

/** Each message of the newest revision says what its client can do. */
function opensPages({ _meta: meta }: Arguments): boolean {
  const capabilities = isSchema(meta) ? meta[CAPABILITIES] : undefined
  const elicitation = isSchema(capabilities) ? capabilities['elicitation'] : undefined
  return isSchema(elicitation) && isSchema(elicitation['url'])
}
