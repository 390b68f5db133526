import { expect, test } from 'vitest'
import { completion } from '../../../test/doubles/ai-double.ts'
import { Secret } from '../../platform/sealing/sealing.ts'
import { openModels } from './ask-model.ts'
import type { TextRequest } from './model-client.ts'
import { ANSWER_SCHEMA } from './draft-prompt.ts'
import type { AiAccess, ModelRef } from '../../platform/config/ai-access.ts'
import { catalogOf, chooseModel } from './model-catalog.ts'

const access: AiAccess = {
  openai: { apiKey: new Secret('key-of-openai'), baseUrl: null },
  anthropic: { apiKey: new Secret('key-of-anthropic') },
  google: { apiKey: new Secret('key-of-google') },
}

type Sent = { url: string; headers: Headers; body: Record<string, any> }

/** One question over a wire that answers with this; gives what was sent and what became of it. */
async function askOver(model: ModelRef, answer: object, own: AiAccess = access) {
  const sent: Sent[] = []
  const wire = async (input: unknown, init?: RequestInit) => {
    sent.push({
      url: String(input),
      headers: new Headers(init?.headers),
      body: JSON.parse(init?.body as string) as Sent['body'],
    })
    return Response.json(answer)
  }
  const models = openModels(own, wire)
  const question: TextRequest = {
    model,
    system: 'The rules.',
    messages: [{ role: 'user', content: 'The task.' }],
    schema: ANSWER_SCHEMA,
    maxOutputTokens: 500,
  }
  const reply = await models.ask(question, new AbortController().signal)
  await models.close()
  const [only] = sent
  if (only === undefined || sent.length > 1)
    throw new Error(`${sent.length} requests were sent: ${JSON.stringify(reply)}`)
  return { ...only, reply }
}

const usage = { inputTokens: 11, outputTokens: 7 }
const answered = { is: 'answered', text: '{"variants":[]}', usage }

test('OpenAI itself is asked for the schema, strictly', async () => {
  const { url, headers, body, reply } = await askOver(
    { vendor: 'openai', model: 'gpt-5.6-terra' },
    {
      id: 'resp_1',
      created_at: 1,
      model: 'gpt-5.6-terra',
      error: null,
      incomplete_details: null,
      output: [
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          status: 'completed',
          content: [{ type: 'output_text', text: '{"variants":[]}', annotations: [] }],
        },
      ],
      usage: { input_tokens: 11, output_tokens: 7 },
    },
  )
  expect(reply).toEqual(answered)
  expect(url).toBe('https://api.openai.com/v1/responses')
  expect(headers.get('authorization')).toBe('Bearer key-of-openai')
  expect(body).toMatchObject({ model: 'gpt-5.6-terra', max_output_tokens: 500 })
  expect(body['text'].format).toMatchObject({ type: 'json_schema', strict: true, schema: ANSWER_SCHEMA })
})

test('Anthropic is asked for the schema, at its own address, whatever the environment holds', async () => {
  process.env['ANTHROPIC_BASE_URL'] = 'http://127.0.0.1:9/elsewhere'
  const { url, headers, body, reply } = await askOver(
    { vendor: 'anthropic', model: 'claude-haiku-5-5' },
    {
      type: 'message',
      id: 'msg_1',
      model: 'claude-haiku-5-5',
      role: 'assistant',
      stop_reason: 'end_turn',
      stop_sequence: null,
      content: [{ type: 'text', text: '{"variants":[]}' }],
      usage: { input_tokens: 11, output_tokens: 7 },
    },
  )
  delete process.env['ANTHROPIC_BASE_URL']
  expect(reply).toEqual(answered)
  expect(url).toBe('https://api.anthropic.com/v1/messages')
  expect(body['tools']).toBeUndefined()
  expect(headers.get('x-api-key')).toBe('key-of-anthropic')
  expect(JSON.stringify(body)).toContain('"thread"')
  expect(body).toMatchObject({ model: 'claude-haiku-5-5', max_tokens: 500 })
})

test('Google is asked for the schema', async () => {
  const { url, headers, body, reply } = await askOver(
    { vendor: 'google', model: 'gemini-flash-latest' },
    {
      candidates: [
        { content: { role: 'model', parts: [{ text: '{"variants":[]}' }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    },
  )
  expect(reply).toEqual(answered)
  expect(url).toBe(
    'https://generativelanguage.googleapis.com/v1beta/models/gemini-flash-latest:generateContent',
  )
  expect(headers.get('x-goog-api-key')).toBe('key-of-google')
  expect(body['generationConfig']).toMatchObject({
    responseMimeType: 'application/json',
    maxOutputTokens: 500,
  })
})

test('a server of one’s own is asked without a key where there is none, whatever the environment holds', async () => {
  process.env['OPENAI_API_KEY'] = 'key-of-the-environment'
  const own = { ...access, openai: { apiKey: null, baseUrl: 'http://127.0.0.1:11434/v1' } }
  const { url, headers, reply } = await askOver(
    { vendor: 'openai', model: 'qwen3:8b' },
    completion({ content: '{"variants":[]}', usage: { prompt_tokens: 11, completion_tokens: 7 } }),
    own,
  )
  delete process.env['OPENAI_API_KEY']
  expect(reply).toEqual(answered)
  expect(url).toBe('http://127.0.0.1:11434/v1/chat/completions')
  expect(headers.get('authorization')).toBeNull()
})

/** One order for a picture over a wire that answers with this; gives what was sent and what became of it. */
async function drawOver(model: ModelRef, ratio: readonly [number, number], answer: object) {
  const sent: { url: string; body: Record<string, any> }[] = []
  const models = openModels(access, async (input: unknown, init?: RequestInit) => {
    sent.push({ url: String(input), body: JSON.parse(init?.body as string) as Record<string, any> })
    return Response.json(answer)
  })
  const drawing = await models.draw({ model, prompt: 'A gate.', ratio }, new AbortController().signal)
  await models.close()
  return { ...sent[0]!, asked: sent.length, drawing }
}

const picture = Buffer.from('a picture').toString('base64')

test.each([
  ['gpt-image-2.5-flare', [4, 5], '1024x1536', undefined],
  ['gpt-image-2.5-flare', [16, 9], '1536x1024', undefined],
  ['painter', [1, 1], '1024x1024', 'b64_json'],
] as const)('OpenAI’s %s is asked for %j in the size nearest to it', async (model, ratio, size, format) => {
  const { url, body, asked, drawing } = await drawOver({ vendor: 'openai', model }, ratio, {
    data: [{ b64_json: picture }],
  })
  expect({ url, asked, size: body['size'], format: body['response_format'] }).toEqual({
    url: 'https://api.openai.com/v1/images/generations',
    asked: 1,
    size,
    format,
  })
  expect(drawing).toMatchObject({ is: 'drawn', bytes: new Uint8Array(Buffer.from('a picture')) })
})

test('Google is asked for the nearest ratio, whether its model draws or also writes', async () => {
  const imagen = await drawOver({ vendor: 'google', model: 'imagen-4.0-generate-001' }, [4, 5], {
    predictions: [{ bytesBase64Encoded: picture }],
  })
  expect(imagen).toMatchObject({
    asked: 1,
    body: { parameters: { aspectRatio: '3:4' } },
    drawing: { is: 'drawn' },
  })
  const part = { inlineData: { mimeType: 'image/png', data: picture } }
  const gemini = await drawOver({ vendor: 'google', model: 'gemini-3.1-flash-image' }, [16, 9], {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
  })
  expect(gemini).toMatchObject({ asked: 1, drawing: { is: 'drawn' } })
  expect(JSON.stringify(gemini.body)).toContain('"aspectRatio":"16:9"')
})

test('without a name, each vendor that can be asked has its usual model', () => {
  expect(catalogOf(access, 'text', null).map(({ vendor }) => vendor)).toEqual([
    'openai',
    'anthropic',
    'google',
  ])
  const nobody: AiAccess = {
    openai: { apiKey: null, baseUrl: null },
    anthropic: { apiKey: null },
    google: { apiKey: null },
  }
  expect(chooseModel(catalogOf(nobody, 'text', null), undefined)).toMatchObject({
    refused: 'ai_not_configured',
  })
  const named = [{ vendor: 'google', model: 'gemini-4-argon' }] as const
  expect(chooseModel(catalogOf(access, 'text', named), 'google/gemini-4-argon')).toEqual(named[0])
})
