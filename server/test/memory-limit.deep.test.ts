import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { aChannel, aWorkspace } from './rigs/fixtures.ts'
import { aPhoto } from './rigs/media-files.ts'
import { formOf, sendForm, startMediaServer } from './rigs/media-server.ts'
import { openMemoryGroup } from './rigs/memory-group.ts'
import { openWorld } from './rigs/world.ts'

/* A server that gets 256 MB, as small containers do, its media workers included. */

const LIMIT_BYTES = 256 * 1_048_576
const POSTS = Number(process.env['MEMORY_POSTS'] ?? 1_000)
const AT_ONCE = 8

test(
  'takes posts and pictures at the limits: a picture that is too much for it costs a worker, and never the server',
  { timeout: 300_000 },
  async ({ skip }) => {
    await using group = openMemoryGroup(LIMIT_BYTES)
    if (group === null) return skip('this user may make no control group')
    const { enter } = group
    await using world = await openWorld()
    const folder = await mkdtemp(join(tmpdir(), 'postrider-memory-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const { workspaceId } = await aWorkspace(world.db)
    await using server = await startMediaServer({ world, folder }, { enter })
    const channelId = await aChannel(world.db, workspaceId, { provider: 'bluesky' })
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    const plain = (side: number) => ({ width: side, height: side, channels: 3 as const, background: '#123' })
    // As many pixels as are taken, and bytes: what has more of either is refused unread.
    const pixels = await sharp({ create: plain(7_000) })
      .jpeg()
      .toBuffer()
    const bytes = await sharp({ create: { ...plain(2_800), noise } })
      .png()
      .toBuffer()

    async function create(number: number): Promise<number> {
      const response = await fetch(`${server.url}/agent/v1/posts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          confirmed: true,
          idempotencyKey: randomUUID(),
          state: 'draft',
          channelIds: [channelId],
          text: `Post ${number}`,
        }),
      })
      await response.body?.cancel()
      return response.status
    }
    let begun = 0
    const created: number[] = []
    const posting = Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (begun < POSTS) created.push(await create(begun++))
      }),
    )
    const answers = await Promise.all(
      [pixels, bytes, pixels, bytes, pixels, bytes].map((file, place) =>
        sendForm(server, formOf(file), `large-${place}`),
      ),
    )
    await posting

    expect([...new Set(created)]).toEqual([201])
    expect(created).toHaveLength(POSTS)
    const said = answers.map(({ status, body }) =>
      status === 201 ? 'taken' : `${body.code}: ${body.detail}`,
    )
    for (const each of said) expect(each).toMatch(/^taken$|memory|crashes every process/)
    if (said.some((each) => each.startsWith('not_ready'))) expect(server.logged()).toContain('media worker')
    expect((await sendForm(server, formOf(await aPhoto()), 'small')).status).toBe(201)
  },
)
