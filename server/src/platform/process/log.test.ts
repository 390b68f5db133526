import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createLog, linesTo } from './log.ts'

function logInto(pretty = false) {
  const lines: string[] = []
  const log = createLog({ level: 'info', pretty, destination: { write: (line) => void lines.push(line) } })
  return { log, lines }
}

describe('the log', () => {
  test('is one JSON object per line, with an ISO time', () => {
    const { log, lines } = logInto()
    log.info({ operation: 'readMe' }, 'request')
    log.debug('not shown')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.+Z$/) as string,
      operation: 'readMe',
      msg: 'request',
    })
  })

  test.each([true, false])('seals what travels under the name of a secret (pretty: %s)', (pretty) => {
    const { log, lines } = logInto(pretty)
    log.info({
      authorization: 'hush',
      headers: { authorization: 'hush', cookie: 'hush' },
      key: { password: 'hush', secret: 'hush', refreshToken: 'hush' },
      grant: { accessToken: 'hush' },
    })
    expect(lines.join('')).not.toContain('hush')
    expect(lines.join('')).toContain('[sealed]')
  })

  test('ends nothing while it cannot be written, and loses no line of that time', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'postrider-log-'))
    const path = join(folder.path, 'log')
    const file = openSync('/dev/full', 'w')
    const log = createLog({ level: 'info', destination: linesTo(file) })
    log.info('one')
    await nextTurn()
    log.info('two')
    await nextTurn()
    // There is room again: the same descriptor now leads to a file.
    closeSync(file)
    expect(openSync(path, 'w')).toBe(file)
    log.info('three')
    await nextTurn()
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['one', 'two', 'three'])
    closeSync(file)
  })

  test('writes the lines of one turn as one, in their order', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'postrider-log-'))
    const path = join(folder.path, 'log')
    const file = openSync(path, 'w')
    const log = createLog({ level: 'info', destination: linesTo(file) })
    log.info('one')
    log.info('two')
    expect(readFileSync(path, 'utf8')).toBe('')
    await nextTurn()
    log.info('three')
    await nextTurn()
    expect(
      readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    ).toEqual(['one', 'two', 'three'])
    closeSync(file)
  })

  test('tells a fault by code, constraint, stack and cause, and never the row that the database quotes', () => {
    const { log, lines } = logInto()
    const cause = Object.assign(new Error('refused'), {
      code: '23505',
      constraint_name: 'a_key',
      detail: 'Key (secret)=(hush)',
    })
    log.error({ err: new Error('outer', { cause }) }, 'broke')
    const { err } = JSON.parse(lines[0]!) as { err: { message: string; stack: string; cause: object } }
    expect(err).toMatchObject({ message: 'outer', cause: { code: '23505', constraint: 'a_key' } })
    expect(err.stack).toContain('log.test.ts')
    expect(lines[0]).not.toContain('hush')
  })

  test('is short for people', () => {
    const { log, lines } = logInto(true)
    log.warn({ status: 503 }, 'request')
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} warn {2}request status=503\n$/)
  })
})
