import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callTableOf } from '../../../test/rigs/watched-adapter.ts'
import type { Provider } from './port/port.ts'
import { providers } from './registry.ts'

/* What is promised of each network, for all that the registry has: nobody writes their list down here. */

const ROOT = join(import.meta.dirname, '../../../..')
const PAGES = join(ROOT, 'docs/networks')
const all = [...providers.values()]
/** The networks of others. */
const networks = all.filter(({ provider }) => !provider.startsWith('sandbox-'))
const named = networks.map((network): [string, Provider] => [network.provider, network])
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

type Members = Readonly<Record<string, { readonly description?: string }>>
const settingsOf = ({ settings }: Pick<Provider, 'settings'>) =>
  settings as {
    readonly properties?: Members
    readonly required?: readonly string[]
    readonly additionalProperties?: boolean
  }

/** What stands below a heading, up to the next one of its level. */
function sectionOf(page: string, heading: RegExp): string {
  const [, ...sections] = page.split(/^## /m)
  const found = sections.find((section) => heading.test(section.split('\n', 1)[0] ?? ''))
  return found?.slice(found.indexOf('\n')).trim() ?? ''
}

/** As people write the type of a file. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  'image/jpeg': /JPEG/,
  'image/png': /PNG/,
  'image/webp': /WebP/,
  'image/gif': /GIF/,
  'video/mp4': /MP4/,
  'video/webm': /WebM/,
  'video/quicktime': /MOV|QuickTime/,
  'audio/mpeg': /MP3/,
  'audio/mp4': /M4A/,
  'audio/wav': /WAV/,
  'audio/ogg': /Ogg/,
  'application/pdf': /PDF/,
}

describe('the documents', () => {
  test('have a page for each network, in the list of them and in the README', () => {
    const names = networks.map(({ provider }) => provider).toSorted()
    const pages = readdirSync(PAGES).filter((name) => name !== 'README.md')
    expect(pages.toSorted()).toEqual(names.map((name) => `${name}.md`))
    const listed = read('docs/networks/README.md').matchAll(/^\| \[[^\]]+\]\((\w+)\.md\)/gm)
    expect([...listed].map(([, name = '']) => name).toSorted()).toEqual(names)
    const linked = [...read('README.md').matchAll(/\]\(docs\/networks\/(\w+)\.md\)/g)].map(([, name]) => name)
    expect(names.filter((name) => !linked.includes(name))).toEqual([])
  })

  test.each(named)('say of %s how it is connected', (_, { provider, displayName, connecting }) => {
    const row = read('docs/networks/README.md')
      .split('\n')
      .find((line) => line.includes(`(${provider}.md)`))
    const [, name, ways = '', needsApp] = row?.split('|').map((cell) => cell.trim()) ?? []
    expect(name).toBe(`[${displayName}](${provider}.md)`)
    expect(ways.includes('in browser')).toBe(connecting.oauth !== null)
    expect(/^in browser$/.test(ways)).toBe(connecting.form === null)
    expect(needsApp).toBe(
      connecting.form === null && connecting.oauth?.client === 'configured' ? 'yes' : 'no',
    )
  })

  test.each(named)(
    'say of %s what it takes, what a doubt means, and what was not tried',
    (provider, network) => {
      const page = read(`docs/networks/${provider}.md`)
      expect(page.split('\n', 1)).toEqual([`# ${network.displayName}`])
      const headings = [
        /^What is supported$/,
        /^What `checking` means here$/,
        /may still do wrong$/,
        /^What was not tried against the real network$/,
      ]
      expect(headings.filter((heading) => sectionOf(page, heading).length <= 80)).toEqual([])
      const { maxCharacters, media } = network.limits
      expect(page).toContain(maxCharacters.toLocaleString('en'))
      const types = new Set(media.kinds.flatMap(({ contentTypes }) => contentTypes))
      expect([...types].filter((type) => FORMATS[type]?.test(page) !== true)).toEqual([])
      if (network.supports.firstComment === true) expect(page).toMatch(/first comment/i)
    },
  )

  test.each(named)('describe each setting of %s', (provider, network) => {
    const page = read(`docs/networks/${provider}.md`)
    const documented = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name)
    expect(documented).toEqual(expect.arrayContaining(Object.keys(settingsOf(network).properties ?? {})))
  })
})

describe.each(all.map((network): [string, Provider] => [network.provider, network]))('%s', (_, network) => {
  test('has settings that are each optional and described, and no others', () => {
    const { properties = {}, required = [], additionalProperties } = settingsOf(network)
    expect(required).toEqual([])
    expect(additionalProperties).toBe(false)
    const bare = Object.entries(properties).filter(([, { description = '' }]) => description.length <= 10)
    expect(bare).toEqual([])
  })

  test('is judged by the suite of all adapters', () => {
    const folder = network.provider.replace(/^sandbox-.*/, 'sandbox')
    const [suite = ''] = globSync(join(import.meta.dirname, `**/${folder}/${folder}.test.ts`))
    expect(readFileSync(suite, 'utf8')).toContain('await testAdapter(')
  })
})

test.each(named)(
  'the calls to %s stand in a table, each with its page and the day it was read',
  async (_, network) => {
    const table = await callTableOf(network)
    expect(table?.rows.length).toBeGreaterThan(0)
    for (const { source, read: day } of table?.rows ?? []) {
      expect(source).toMatch(/^https:\/\//)
      expect(day).toMatch(/^20\d\d-\d\d(?:-\d\d)?$/)
    }
  },
)
