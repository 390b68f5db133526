import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseText } from '@postrider/contract/plan'
import { leadsOut, readSources } from './read-files.ts'

const NAMES = 'bcdefghi'
/** Nine times nine times nine …, in a few lines. */
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...Array.from(
    NAMES,
    (name, n) =>
      `${name}: &${name} [${Array(9)
        .fill(`*${`a${NAMES}`[n]}`)
        .join(', ')}]`,
  ),
].join('\n')

test.each([
  ['a bomb of aliases', bomb, 'Excessive alias count'],
  ['an alias of nothing', 'plan: *nope', 'Unresolved alias'],
  ['an alias of itself', 'a: &a [*a]', 'circular structure'],
  ['a key twice', 'plan: a\nplan: b', 'Map keys must be unique'],
  ['tabs as indents', 'plan: a\nposts:\n\t- id: x', 'Tabs are not allowed'],
  ['several documents', 'plan: a\n---\nplan: b', 'multiple documents'],
])('%s is a fault of the file, with its place', (_what, text, said) => {
  const { source, faults } = parseText('plan.yaml', text, '.')
  expect(source.value).toBeNull()
  expect(faults[0]).toMatchObject({
    file: 'plan.yaml',
    line: expect.any(Number),
    message: expect.stringContaining(said),
  })
})

test('a file from elsewhere reads as any other: with a byte order mark, line ends of Windows, times without quotes, aliases', () => {
  const read = (text: string) => parseText('plan.yaml', text, '.').source.value
  expect(read('\ufeffplan: a')).toEqual({ plan: 'a' })
  expect(read('plan: a\r\nchannels: [ada]\r\n')).toEqual({ plan: 'a', channels: ['ada'] })
  expect(read('publishAt: 2027-01-10T09:00:00Z')).toEqual({ publishAt: '2027-01-10T09:00:00Z' })
  expect(read('one: &one [1]\ntwo: *one')).toEqual({ one: [1], two: [1] })
  expect(read('plan: !!js/function "x"')).toEqual({ plan: 'x' })
})

/** A folder with a plan, and a file beside the folder that could be a plan or a post. */
function aFolder(): { folder: string; outside: string } {
  const root = mkdtempSync(join(tmpdir(), 'plan-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const [folder, outside] = [join(root, 'plan'), join(root, 'secrets.yaml')]
  mkdirSync(folder)
  writeFileSync(join(folder, 'plan.yaml'), 'plan: x')
  writeFileSync(outside, '---\nid: a\n---\npassword')
  return { folder, outside }
}

test.each([
  ['a post that is a link to a file elsewhere', 'post.md', (outside: string) => outside],
  ['a post that is a link to nothing, so that it would be taken for deleted', 'post.md', () => 'nothing.md'],
  ['a plan that is a link to a file elsewhere', 'plan.yaml', (outside: string) => outside],
])('%s is a fault, and nothing of it is read', (_what, name, target) => {
  const { folder, outside } = aFolder()
  rmSync(join(folder, name), { force: true })
  symlinkSync(target(outside), join(folder, name))
  const read = readSources(folder)
  expect(read).toMatchObject({ posts: [], faults: [{ file: join(folder, name), line: 1 }] })
  expect(JSON.stringify(read)).not.toContain('password')
})

test('a link to a post in the folder is that post, and a folder with the name of a post is none', () => {
  const { folder } = aFolder()
  mkdirSync(join(folder, 'old.md'))
  writeFileSync(join(folder, 'old.md', 'a'), '---\nid: a\n---\nText')
  symlinkSync(join('old.md', 'a'), join(folder, 'a.md'))
  const { posts, faults } = readSources(folder)
  expect([posts.map(({ value }) => value), faults]).toEqual([[{ id: 'a', text: 'Text' }], []])
})

test('a folder whose name begins as another one does is not that one', () => {
  expect(leadsOut('/plans/a', '/plans/ab/x.jpg')).toBe(true)
  expect(leadsOut('/plans/a', '/plans/a/..x/x.jpg')).toBe(false)
})
