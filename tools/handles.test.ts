import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { networkNames, shownHandle } from '../contract/src/names.ts'
import { providers } from '../server/src/networks/providers/registry.ts'

const root = join(import.meta.dirname, '..')

/** Where the network is known, and its handles have an @. */
const OF_ONE_NETWORK = /^server\/src\/(?:networks\/providers|accounts\/sandbox)\//
/** What shows a handle with its @, and addresses of accounts. */
const SHOWS_HANDLES = ['contract/src/shown-handle.ts', 'dashboard/src/features/channels/network-name.ts']

test('no sentence writes an @ before a handle: its network says whether there is one', () => {
  const files = ['server/src', 'dashboard/src', 'cli/src', 'contract/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  )
  const found = files.filter(
    (name) =>
      !OF_ONE_NETWORK.test(name) &&
      !SHOWS_HANDLES.includes(name) &&
      /@\$?\{[^}]*handle/i.test(readFileSync(join(root, name), 'utf8')),
  )
  expect(found).toEqual([])
})

test('every network is there', () => {
  expect(Object.keys(networkNames)).toEqual([...providers.keys()])
})

test.each([
  ['bluesky', 'ada.bsky.social', '@ada.bsky.social'],
  ['bluesky', 'did:plc:abc', 'did:plc:abc'],
  ['discord', 'Webhook', 'Webhook'],
  ['facebook', 'acme', 'acme'],
  ['facebook', '1234567890', '1234567890'],
  ['instagram', 'ada', '@ada'],
  ['linkedin', 'Ada Lovelace', 'Ada Lovelace'],
  ['mastodon', 'ada@example.social', '@ada@example.social'],
  ['nostr', 'npub1abc', 'npub1abc'],
  ['telegram', 'ada_news', '@ada_news'],
  ['telegram', '-1001234567890', '-1001234567890'],
  ['threads', 'ada', '@ada'],
  ['wordpress', 'example.com/blog', 'example.com/blog'],
  ['x', 'ada', '@ada'],
  ['youtube', 'ada', '@ada'],
  ['youtube', 'UC1234567890123456789012', 'UC1234567890123456789012'],
  ['sandbox-short', 'my-short', '@my-short'],
  ['elsewhere', 'ada', 'ada'],
  ['constructor', 'ada', 'ada'],
])('the account of %s with the handle %s is written %s', (provider, handle, shown) => {
  expect(shownHandle(provider, handle)).toBe(shown)
})
