import { createHmac } from 'node:crypto'
import {
  type CallToolResult,
  type GetPromptResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import type { McpSession, Offers } from '../../src/doors/mcp/mcp-server.ts'

/*
 * The tools, resources and prompts that the conformance suite asks for, in a table, so that our handler answers for the protocol
 * and not for what we offer.
 */

type Params = Readonly<Record<string, any>>
type Result = CallToolResult | InputRequiredResult
type Fixture = (params: Params) => Result

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' }
const text = (said: string) => ({ type: 'text' as const, text: said })
const resource = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
})
const complete = (...content: CallToolResult['content']): CallToolResult => ({ content })

const form = (message: string, name: string, type = 'string') => ({
  method: 'elicitation/create' as const,
  params: {
    message,
    requestedSchema: { type: 'object' as const, properties: { [name]: { type } }, required: [name] },
  },
})
const sampling = {
  method: 'sampling/createMessage' as const,
  params: {
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'What is the capital?' } }],
    maxTokens: 50,
  },
}
const roots = { method: 'roots/list' as const, params: {} }

const sign = (state: string) => `${state}.${createHmac('sha256', 'a test').update(state).digest('hex')}`
const isSigned = (sent: unknown, state: string) => sent === sign(state)

/** Asks until all that is asked for has come. */
function asksFor(requests: Record<string, object>, state?: string): Fixture {
  return ({ inputResponses: given, requestState }) => {
    const isComplete = Object.keys(requests).every((name) => typeof given?.[name] === 'object')
    if (requestState !== undefined && state !== undefined && !isSigned(requestState, state))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The state was changed.')
    if (isComplete && (state === undefined || requestState !== undefined))
      return complete(text(`state-ok ${JSON.stringify(given)}`))
    return {
      resultType: 'input_required',
      inputRequests: requests,
      ...(state === undefined ? {} : { requestState: sign(state) }),
    } as InputRequiredResult
  }
}

const multiRound: Fixture = ({ inputResponses: given, requestState }) => {
  if (isSigned(requestState, 'second') && given?.step2 !== undefined) return complete(text('done'))
  const isSecond = isSigned(requestState, 'first') && given?.step1 !== undefined
  return {
    resultType: 'input_required',
    inputRequests: isSecond ? { step2: form('Color?', 'color') } : { step1: form('Name?', 'name') },
    requestState: sign(isSecond ? 'second' : 'first'),
  } as InputRequiredResult
}

const byCapability: Fixture = ({ _meta: meta }) => {
  const can = meta?.['io.modelcontextprotocol/clientCapabilities'] ?? {}
  const inputRequests = {
    ...('sampling' in can ? { sample: sampling } : {}),
    ...('elicitation' in can ? { ask: form('Name?', 'name') } : {}),
  }
  return { resultType: 'input_required', inputRequests } as unknown as InputRequiredResult
}

const tools: Record<string, Fixture> = {
  test_simple_text: () => complete(text('This is a simple text response for testing.')),
  test_image_content: () => complete(image),
  test_audio_content: () => complete({ type: 'audio', data: SOUND, mimeType: 'audio/wav' }),
  test_embedded_resource: () => complete(resource('test://embedded-resource')),
  test_multiple_content_types: () =>
    complete(text('Multiple content types:'), image, resource('test://mixed-content-resource')),
  test_error_handling: () => ({ ...complete(text('This tool always fails.')), isError: true }),
  test_input_required_result_elicitation: asksFor({ user_name: form('What is your name?', 'name') }),
  test_input_required_result_sampling: asksFor({ capital_question: sampling }),
  test_input_required_result_list_roots: asksFor({ client_roots: roots }),
  test_input_required_result_request_state: asksFor(
    { confirm: form('Please confirm', 'ok', 'boolean') },
    'a',
  ),
  test_input_required_result_multiple_inputs: asksFor(
    { user_name: form('What is your name?', 'name'), greeting: sampling, client_roots: roots },
    'b',
  ),
  test_input_required_result_tampered_state: asksFor(
    { confirm: form('Please confirm', 'ok', 'boolean') },
    'c',
  ),
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_capabilities: byCapability,
}

const prompts: Record<
  string,
  { names: readonly string[]; write: (given: Params) => GetPromptResult['messages'] }
> = {
  test_simple_prompt: {
    names: [],
    write: () => [{ role: 'user', content: text('This is a simple prompt for testing.') }],
  },
  test_prompt_with_arguments: {
    names: ['arg1', 'arg2'],
    write: ({ arg1, arg2 }) => [{ role: 'user', content: text(`arg1='${arg1}', arg2='${arg2}'`) }],
  },
  test_prompt_with_embedded_resource: {
    names: ['resourceUri'],
    write: ({ resourceUri }) => [{ role: 'user', content: resource(resourceUri) }],
  },
  test_prompt_with_image: { names: [], write: () => [{ role: 'user', content: image }] },
  test_input_required_result_prompt: { names: [], write: () => [] },
}

const contents: Record<
  string,
  { uri: string; mimeType: string; text: string } | { uri: string; mimeType: string; blob: string }
> = {
  'test://static-text': { uri: 'test://static-text', mimeType: 'text/plain', text: 'Static text.' },
  'test://static-binary': { uri: 'test://static-binary', mimeType: 'image/png', blob: PIXEL },
}

export const fixtureOffers: Offers = {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  resources: Object.values(contents).map(({ uri, mimeType }) => ({ uri, mimeType, name: uri })),
  templates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  read: async (uri) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
    if (id !== undefined)
      return {
        contents: [
          { uri, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ${id}` }) },
        ],
      }
    const found = contents[uri]
    if (found === undefined) throw new ResourceNotFoundError(uri)
    return { contents: [found] }
  },
  prompts: Object.entries(prompts).map(([name, { names }]) => ({
    name,
    description: 'Of the suite.',
    arguments: names.map((one) => ({ name: one, description: 'Of the suite.', required: true })),
  })),
  write: (name, given, session) => {
    if (name === 'test_input_required_result_prompt') {
      const { inputResponses } = (session as FixtureSession).params
      if (inputResponses?.user_context === undefined)
        return {
          resultType: 'input_required',
          inputRequests: { user_context: form('What context?', 'context') },
        } as InputRequiredResult
      return { messages: [{ role: 'user', content: text(JSON.stringify(inputResponses)) }] }
    }
    const prompt = prompts[name]
    if (prompt === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such prompt.')
    return { messages: prompt.write(given) }
  },
}

type FixtureSession = McpSession & { readonly params: Params }

/** What a message of the suite is answered with. */
export function fixtureSession(body: Readonly<Record<string, any>>): FixtureSession {
  const params: Params = body['params'] ?? {}
  return {
    params,
    guide: '',
    tools: Object.keys(tools).map((name) => ({
      name,
      description: 'Of the suite.',
      inputSchema: { type: 'object', properties: {} },
    })),
    call: (name) => {
      const fixture = tools[name]
      return fixture === undefined ? null : Promise.resolve().then(() => fixture(params))
    },
  }
}
