import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from './rigs/free-port.ts'
import { root } from './rigs/product.ts'
import { openServerRig } from './rigs/server-rig.ts'

const page = readFileSync(join(root, 'docs/operating.md'), 'utf8')
const folder = join(root, 'server/src')
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

test(
  'two processes allow a credential its limit once, and say what both have left',
  { timeout: 60_000 },
  async () => {
    await using rig = await openServerRig({
      channels: 0,
      database: 'shared',
      env: {
        RATE_LIMIT_PER_MINUTE: '60',
        RATE_LIMIT_WRITES_PER_MINUTE: '20',
        SANDBOX: 'off',
        SANDBOX_URL: '',
      },
    })
    const ports = [await freePort(), await freePort()]
    await Promise.all(ports.map((at) => rig.serve('api', { at })))
    const ask = async (at: number, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${rig.key}`, 'content-type': 'application/json' }
      const path = init.method === undefined ? 'me' : 'posts/check'
      const { status, headers: answered } = await fetch(`http://127.0.0.1:${at}/agent/v1/${path}`, {
        headers,
        ...init,
      })
      return { status, left: Number(/"default";r=(\d+)/.exec(answered.get('ratelimit')!)![1]) }
    }

    const turns = []
    for (let n = 0; n < 10; n++) turns.push(await ask(ports[n % 2]!))
    expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 200))
    // Each process was told of the other when it was asked first.
    expect(turns.slice(0, 2).map(({ left }) => left)).toEqual([59, 58])

    const many = await Promise.all(Array.from({ length: 120 }, (_, n) => ask(ports[n % 2]!)))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(50)
    expect(many.filter(({ status }) => status === 429).map(({ left }) => left)).toEqual(Array(70).fill(0))
  },
)

test('the page on operating has every rate limit, and by whom it is counted', () => {
  const limits = sources.flatMap(({ text }) =>
    [...text.matchAll(/\b(own|shared)RateLimit\(\s*'([^']+)'/g)].map(([, kind, policy]) => ({
      policy: policy!,
      by: kind === 'own' ? 'each process' : 'all processes',
    })),
  )
  const rows = [...page.matchAll(/^\| `([\w ]+)` +\|.*\| (all processes|each process) +\|$/gm)]
  const told = rows.map(([, policy, by]) => ({ policy, by }))

  expect(limits.length).toBeGreaterThan(5)
  const byName = (one: { policy?: string | undefined }, other: typeof one) =>
    one.policy!.localeCompare(other.policy!)
  expect(told.toSorted(byName)).toEqual(limits.toSorted(byName))
})

/** What else a process bounds for itself, by the code that does, and the words of the page on operating for it. */
const bounded: Record<string, string> = {
  'content/imports/file-reader.ts': 'files to import that are read (one)',
  'edge/api/http/http-server.ts': '`MAX_CONNECTIONS`, `MAX_CONNECTIONS_PER_ADDRESS`',
  'edge/api/http/mount-public-media.ts': 'files for networks that are sent (64, and 8 of one',
  'engine/publication/publisher.ts': '`PUBLISH_CONCURRENCY`',
  'engine/webhooks/claim-lanes.ts':
    '`WEBHOOK_CONCURRENCY`, and of these at most 128 deliveries to one endpoint',
  'media/account-pictures.ts': 'pictures of accounts that are fetched (6)',
  'media/media-workers.ts': 'Files that are decoded (`MEDIA_WORKERS`)',
  'networks/channels/refresh-authorization.ts': 'authorizations that are renewed (2)',
}

test('the page on operating has everything else that a process bounds for itself', () => {
  const bounds =
    /(?<!function )\b(?:limiter|inTurns|placesFor|openWorkerPool|freeCapacity|publishSlots|trackConnections)(?:<\w+>)?\(/
  const found = sources.filter(({ text }) => bounds.test(text)).map(({ name }) => name)
  expect(found.toSorted()).toEqual(Object.keys(bounded))
  expect(Object.values(bounded).filter((words) => !page.includes(words))).toEqual([])
})
