import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CallTable } from '../../../test/doubles/call-table.ts'
import { providers } from '../providers/registry.ts'
import { isEnding, versionEnds } from './version-ends.ts'

/** By then a release with another version has to be on its way: its operators are told a month later. */
const NOTICE_DAYS = 61

const today = new Date(process.env['TODAY'] ?? Date.now())
const endingAt = (now: Date) =>
  versionEnds(providers)
    .filter(({ endsOn }) => isEnding(endsOn, now, NOTICE_DAYS))
    .map(({ provider, name, endsOn }) => `${provider}: ${name} ends on ${endsOn}`)

test('no version that adapters call ends within two months: the next one has to be called by then', () => {
  expect(endingAt(today)).toEqual([])
})

test('two months before an end it is named', () => {
  expect(endingAt(new Date('2027-07-16T00:00:00Z'))).toEqual([])
  expect(endingAt(new Date('2027-07-17T00:00:00Z'))).toEqual(['linkedin: 202609 ends on 2027-09-15'])
  expect(endingAt(new Date('2028-09-05T00:00:00Z'))).toEqual([
    'facebook: v27.0 ends on 2028-11-04',
    'instagram: v27.0 ends on 2028-11-04',
    'linkedin: 202609 ends on 2027-09-15',
  ])
})

type Headers = { readonly properties?: Readonly<Record<string, { readonly const?: string }>> }

/** The rows of a table, as they name the version. */
function versionsIn({ version, rows }: CallTable): string[] {
  if (version === null) return []
  if ('segment' in version) return [version.segment]
  const { header } = version
  return rows.flatMap(({ headers }) => {
    const { properties }: Headers = headers ?? {}
    const value = properties?.[header]?.const
    return value === undefined ? [] : [value]
  })
}

test('each version in a table of calls is stated by its network, with a page and a day where it ends', async () => {
  const folder = join(import.meta.dirname, '../../../test/doubles')
  const names = [...providers.keys()].filter((name) => !name.startsWith('sandbox-'))
  const stated: Record<string, string[]> = {}
  const called: Record<string, string[]> = {}
  for (const name of names) {
    const module = (await import(join(folder, `${name}-calls.ts`))) as Record<string, CallTable>
    called[name] = [...new Set(versionsIn(module[`${name}Calls`]!))]
    const { apiVersion } = providers.get(name)!
    stated[name] = apiVersion === undefined ? [] : [apiVersion.name]
  }
  expect(stated).toEqual(called)
  for (const { apiVersion } of providers.values()) {
    if (apiVersion === undefined || apiVersion.endsOn === null) continue
    expect(apiVersion.source).toMatch(/^https:\/\//)
    expect([apiVersion.read, apiVersion.endsOn]).toEqual(
      [apiVersion.read, apiVersion.endsOn].map((day) => new Date(day).toISOString().slice(0, 10)),
    )
  }
})
