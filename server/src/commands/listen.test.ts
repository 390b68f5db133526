import { expect, test } from 'vitest'
import { commandLineWith } from '../../test/rigs/command-line.ts'

const REFUSED = { exitCode: 2, errors: expect.stringContaining('That is no signing secret') as unknown }
const to = ['--forward-to', 'http://127.0.0.1:3000/hook']

test('listen takes its signing secret from WEBHOOK_SECRET, or asks for it, and never as an argument', async () => {
  const postrider = commandLineWith({ WEBHOOK_SECRET: 'not one' }, ['neither'])
  expect(await postrider('listen', ...to)).toMatchObject(REFUSED)
  expect(await commandLineWith({}, ['neither'])('listen', ...to, '--secret')).toMatchObject(REFUSED)

  const given = await postrider('listen', ...to, '--secret', `whsec_${'A'.repeat(43)}=`)
  expect(given).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('Too many arguments') as unknown,
  })
})
