import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openBrowser } from './login.ts'

test('a browser gets neither keys nor the token of the operator: it lives longer than the command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [browser, seen] = [join(folder, 'browser'), join(folder, 'seen')]
  writeFileSync(browser, '#!/bin/sh\nenv > "$SEEN.part" && mv "$SEEN.part" "$SEEN"\n')
  chmodSync(browser, 0o700)
  for (const name of ['POSTRIDER_OPERATOR_TOKEN', 'POSTRIDER_KEY']) vi.stubEnv(name, 'secret')
  vi.stubEnv('SEEN', seen)
  onTestFinished(() => void vi.unstubAllEnvs())
  openBrowser('http://localhost:4000/', { ...process.env, BROWSER: browser })
  await vi.waitFor(() => expect(existsSync(seen)).toBe(true), 30_000)
  expect(readFileSync(seen, 'utf8')).toContain('PATH=')
  expect(readFileSync(seen, 'utf8')).not.toContain('POSTRIDER_')
})
