import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { htmlPage } from './html.ts'

test('the pages outside of the dashboard have its colours and sizes, and its mark', () => {
  const dashboard = join(import.meta.dirname, '../../../../dashboard')
  const namesIn = (css: string) =>
    new Map(
      [...css.matchAll(/(--[\w-]+):\s*([^;}]+?)\s*(?=;|\})/g)].map(([, name = '', value]) => [name, value]),
    )
  const tokens = namesIn(readFileSync(join(dashboard, 'src/styles/tokens.css'), 'utf8'))
  const page = htmlPage('A page', '<h1>A page</h1>', { back: { to: '/account', label: 'Your account' } })
  const used = namesIn(/<style>(.*?)<\/style>/s.exec(page)?.[1]?.replace(/\n\*,.*/s, '') ?? '')
  expect(used.size).toBeGreaterThan(20)
  for (const [name, value] of used) expect([name, value]).toEqual([name, tokens.get(name)])
  const [, mark] = /(<rect.*)<\/svg>/.exec(readFileSync(join(dashboard, 'public/icon.svg'), 'utf8')) ?? []
  expect(page).toContain(mark)
  expect(page).toContain('<a href="/account">Your account</a>')
})
