import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listeningIn, SandboxFault, startSandboxProcess } from './sandbox-process.ts'

type Restart = { exitCode: number | null; said: string; waitMs: number }

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'postrider-sandbox-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** The process that has the data folder in its arguments. */
function pidsOn(dataDir: string): number[] {
  const processes = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n')
  return processes
    .filter((line) => line.includes(dataDir) && line.includes('main.ts'))
    .map((line) => Number.parseInt(line, 10))
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/control/accounts`).catch(() => null)
  return response?.status === 200
}

test('it runs in a process of its own, and stop waits for its end', async () => {
  await using folder = await openFolder()
  const network = await startSandboxProcess({ host: '127.0.0.1', port: 0, dataDir: folder.path })

  expect(await answers(network.url)).toBe(true)
  await network.stop()
  expect(await answers(network.url)).toBe(false)
  expect(pidsOn(folder.path)).toEqual([])
})

test('nothing of the environment goes along: the secrets of the server are in it', async () => {
  await using folder = await openFolder()
  const network = await startSandboxProcess({ host: '127.0.0.1', port: 0, dataDir: folder.path })
  const [pid] = pidsOn(folder.path)
  expect(await readFile(`/proc/${pid}/environ`, 'utf8')).toBe('')
  await network.stop()
})

test('a network that dies comes back at the same address', async () => {
  await using folder = await openFolder()
  const restarts: Restart[] = []
  const network = await startSandboxProcess({
    host: '127.0.0.1',
    port: 0,
    dataDir: folder.path,
    onRestart: (facts) => restarts.push(facts),
  })
  for (const pid of pidsOn(folder.path)) process.kill(pid, 'SIGKILL')

  await expect.poll(() => restarts.length, { timeout: 5_000 }).toBe(1)
  await expect.poll(() => answers(network.url), { timeout: 10_000 }).toBe(true)
  await network.stop()
  expect(pidsOn(folder.path)).toEqual([])
})

test('a port that is taken is told in words', async () => {
  await using folder = await openFolder()
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const port = (other.address() as { port: number }).port

  const start = startSandboxProcess({ host: '127.0.0.1', port, dataDir: folder.path })
  await expect(start).rejects.toThrow(SandboxFault)
  await expect(start).rejects.toThrow(`127.0.0.1:${port}: another program has that port`)
  other.close()
  expect(pidsOn(folder.path)).toEqual([])
})

test.each([
  ['{"listening":"http://127.0.0.1:4001"}', 'http://127.0.0.1:4001'],
  ['{"listening":7}', null],
  ['Debugger attached.', null],
])('of the line %s the address is %s', (line, url) => {
  expect(listeningIn(line)).toBe(url)
})
