import { expect, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'

test.each([
  ['--name', 'Acme\nInc', 'holds a line break (U+000A)'],
  ['--owner-name', '\u202eAda', 'changes the direction of writing (U+202E)'],
])('workspace create refuses a %s that is no line, before it opens a database', async (option, text, why) => {
  const named = { '--name': 'Acme', '--owner-name': 'Ada', '--owner-email': 'ada@localhost', [option]: text }
  const { exitCode, errors } = await commandLineWith({})(
    'workspace',
    'create',
    ...Object.entries(named).flat(),
  )
  expect(exitCode).toBe(2)
  expect(errors).toContain(`${option} `)
  expect(errors).toContain(why)
})
