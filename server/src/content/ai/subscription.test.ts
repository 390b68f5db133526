import { expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { drafts } from '../../../test/doubles/ai-double.ts'
import { aChannel, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { x } from '../../networks/providers/x/x.ts'
import type { MediaParts } from '../../media/upload-media.ts'
import { fingerprintOf } from '../../edge/operations/idempotency.ts'
import { createLog } from '../../platform/process/log.ts'
import type { TextRequest } from './model-client.ts'
import { draftWork } from './generate-drafts.ts'
import { generateOnce } from './generate-once.ts'

test('a long post for X is asked for only when the channel’s own subscription is known', async () => {
  await using world = await openWorld()
  const workspace = await aWorkspace(world.db)
  const { workspaceId } = workspace
  const free = await aChannel(world.db, workspaceId, { provider: 'x' })
  const premium = await aChannel(world.db, workspaceId, { provider: 'x' })
  await world.db`update channel set subscription = 'Premium' where id = ${premium}`
  const strangers = await aChannel(world.db, (await aWorkspace(world.db)).workspaceId, { provider: 'x' })
  await world.db`update channel set subscription = 'Premium' where id = ${strangers}`

  const asked: TextRequest[] = []
  const log = createLog({ level: 'silent' })
  const options = {
    db: world.db,
    log,
    timeoutMs: 10_000,
    leaseMs: 15_000,
    sees: () => false,
    providers: new Map([['x', x]]),
    catalog: [{ vendor: 'openai', model: 'writer' }] as const,
    budget: { tokensPerDay: 1_000_000, maxOutputTokens: 16_000 },
    media: {} as MediaParts,
    async ask(question: TextRequest) {
      asked.push(question)
      return { is: 'answered', text: drafts('long '.repeat(3_999)), usage: null } as const
    },
  }
  async function write(destination: { id?: string; provider?: string; maxCharacters?: number }) {
    const outcome = await generateOnce(
      options,
      {
        request: {
          workspaceId,
          operation: 'generatePostDrafts',
          key: uuidv7(),
          fingerprint: fingerprintOf('generatePostDrafts', '/', destination),
        },
        credentialId: uuidv7(),
        gone: new AbortController().signal,
        render: (answer) => ({ status: 200, body: JSON.stringify(answer) }),
      },
      draftWork(options, workspace.caller, {
        confirmed: true,
        brief: 'Everything.',
        destinations: [destination],
        language: 'en',
        tone: 'plain',
        result: 'draft',
      }),
    )
    return 'refused' in outcome ? outcome.refused : outcome.status
  }

  for (const destination of [{ id: free }, { provider: 'x' }])
    expect(await write({ ...destination, maxCharacters: 20_000 })).toBe('subscription_unconfirmed')
  expect(await write({ id: strangers, maxCharacters: 20_000 })).toBe('channel_unavailable')
  expect({ asked: asked.length, rows: (await world.db`select from ai_generation`).length }).toEqual({
    asked: 0,
    rows: 0,
  })
  expect(await write({ id: premium, maxCharacters: 20_000 })).toBe(200)
  expect(asked).toHaveLength(1)
  expect(asked[0]?.messages[0]?.content).toContain('"maxCharacters":20000')
})
