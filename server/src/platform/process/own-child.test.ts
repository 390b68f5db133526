import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ownChild } from './own-child.ts'

test('a process that cannot be started, or a pipe that breaks, ends nothing', async () => {
  const absent = spawn('/there/is/nothing', { stdio: 'pipe' })
  ownChild(absent)
  await new Promise((resolve) => absent.once('close', resolve))

  const reading = spawn(process.execPath, ['-e', 'process.stdin.destroy(); setTimeout(() => {}, 500)'])
  ownChild(reading)
  const writing = setInterval(() => reading.stdin.write('a'.repeat(100_000)), 5)
  const [code] = (await once(reading, 'close')) as [number]
  clearInterval(writing)
  expect(code).toBe(0)
})

/** Runs with every file descriptor in use; `lacking` gives what its argument came to. */
const lacking = `
  import { openSync } from 'node:fs'
  function useAllDescriptors() {
    try {
      for (;;) openSync('/dev/null')
    } catch {}
  }
  const told = (promise) => promise.then(() => 'done', (error) => error.message)
`

test.each([
  [
    'a program',
    `import { once } from 'node:events'
     import { spawn } from 'node:child_process'
     import { ownChild } from '${import.meta.resolve('./own-child.ts')}'
     useAllDescriptors()
     const child = spawn(process.execPath, { stdio: 'pipe' })
     ownChild(child)
     console.log(await told(once(child, 'spawn')))`,
    `spawn ${process.execPath} EMFILE`,
  ],
  [
    'a media worker, twice',
    `import { openMediaWorkers } from '${import.meta.resolve('../../media/media-workers.ts')}'
     const workers = openMediaWorkers({ processes: 1 })
     useAllDescriptors()
     const run = (fileId) => told(workers.run({ type: 'probe' }, { workspaceId: 'w', fileId }))
     console.log((await Promise.all([run('a'), run('b')])).join('; '))`,
    `a worker could not be started: spawn ${process.execPath} EMFILE; a worker could not be started: spawn ${process.execPath} EMFILE`,
  ],
  [
    'the sandbox network',
    `import { startSandboxProcess } from '${import.meta.resolve('../../accounts/sandbox/sandbox-process.ts')}'
     import.meta.resolve('@postrider/sandbox-network/main')
     useAllDescriptors()
     console.log(await told(startSandboxProcess({ host: '127.0.0.1', port: 0, dataDir: '/nowhere' })))`,
    `spawn ${process.execPath} EMFILE`,
  ],
])('without file descriptors %s is not started, and nothing else ends', async (_what, script, said) => {
  const child = spawn(
    '/bin/sh',
    ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', lacking + script],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect([output.trim(), errors]).toEqual([said, ''])
})
