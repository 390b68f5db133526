import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCluster } from './cluster.ts'
import { openWorld } from './world.ts'

// A file of tests for a run that is interrupted: it has made folders and started processes when it says so, and then waits.

test('is interrupted', { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-interrupted-'))
  spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env: { DATA_DIR: folder } })
  await openWorld()
  await openCluster()
  console.log('everything is there')
  const never = new Promise(() => undefined)
  await expect(never).resolves.toBeUndefined()
})
