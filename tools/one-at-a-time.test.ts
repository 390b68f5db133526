import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

/** Something that is under way until it is ended. */
function aDeed(log: string[], name: string) {
  const end = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const act = async () => {
    log.push(`${name} begins`)
    begun.resolve()
    await end.promise
    log.push(`${name} ends`)
    return name
  }
  return { act, begun: begun.promise, end: end.resolve }
}

test('what has the same name waits for its end, also where it fails; what has another name does not', async () => {
  const name = randomUUID()
  const log: string[] = []
  const [first, second, other] = ['first', 'second', 'other'].map((each) => aDeed(log, each))
  const failing = oneAtATime(name, async () => {
    await first!.act()
    throw new Error('it failed')
  })
  await first!.begun
  const waiting = oneAtATime(name, second!.act)
  const beside = oneAtATime(randomUUID(), other!.act)
  await other!.begun
  other!.end()
  expect(await beside).toBe('other')
  first!.end()
  await expect(failing).rejects.toThrow('it failed')
  await second!.begun
  second!.end()
  expect(await waiting).toBe('second')
  expect(log).toEqual([
    'first begins',
    'other begins',
    'other ends',
    'first ends',
    'second begins',
    'second ends',
  ])
})

test('a process that is killed keeps nobody waiting', { skip: process.platform !== 'linux' }, async () => {
  const name = randomUUID()
  const program = `
    import { oneAtATime } from ${JSON.stringify(join(import.meta.dirname, 'one-at-a-time.ts'))}
    await oneAtATime(${JSON.stringify(name)}, () => new Promise(() => {
      console.log('begun')
      process.stdin.resume()
    }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  let isKilled = false
  const waiting = oneAtATime(name, () => Promise.resolve(isKilled))
  const ended = once(child, 'close')
  isKilled = true
  child.kill('SIGKILL')
  await ended
  expect(await waiting).toBe(true)
})
