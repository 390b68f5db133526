import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { askSecret } from './ask-secret.ts'

/** A terminal on which these keys are pressed. */
async function typed(keys: string): Promise<string> {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: vi.fn() })
  const { stdin } = process
  Object.defineProperty(process, 'stdin', { value: terminal, configurable: true })
  onTestFinished(() => void Object.defineProperty(process, 'stdin', { value: stdin, configurable: true }))
  terminal.write(keys)
  const secret = await askSecret('Token: ')
  expect(terminal.setRawMode.mock.calls).toEqual([[true], [false]])
  return secret
}

test.each([
  ['a line', ' secret\r', 'secret'],
  ['a mistake', 'secrex\u007ft\n', 'secret'],
  ['Ctrl-D, which is no part of it', 'secret\u0004', 'secret'],
  ['Ctrl-D alone', '\u0004', ''],
])('a secret ends with %s', async (_, keys, secret) => {
  expect(await typed(keys)).toBe(secret)
})
