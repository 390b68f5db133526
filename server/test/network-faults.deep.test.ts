import { expect, test } from 'vitest'
import { providers } from '../src/networks/providers/registry.ts'
import { runFaults, type Found } from './rigs/fault-run.ts'
import { openFaultyNetworks } from './rigs/faulty-networks.ts'
import { openFileWorld } from './rigs/file-world.ts'

/*
 * Every network behind a proxy that breaks, delays, holds up and repeats calls at random, with publishers that are killed and
 * authors who cancel. In the end the other side counts. FAULT_POSTS says how many posts each network gets, FAULT_SEED which
 * faults they meet, FAULT_KILLS how many publishers die; with FAULT_SHOWN=1 each step is written to the standard error.
 */

/** Enough for each fault to come up somewhere, in some seconds. */
const USUAL_POSTS = 5
const posts = Number(process.env['FAULT_POSTS'] ?? USUAL_POSTS)
const seed = Number(process.env['FAULT_SEED'] ?? 1)
/** The beginnings of the names of the networks that take part, with commas between; all of them when left out. */
const only = (process.env['FAULT_NETWORKS'] ?? '').split(',')
const kills = Number(process.env['FAULT_KILLS'] ?? 1)

const { world, api } = await openFileWorld()

test(`of ${posts} posts to each network, under faults ${seed}, none is there twice, none is lost, and no status is wrong`, async () => {
  await using networks = await openFaultyNetworks((name) => only.some((start) => name.startsWith(start)))
  if (only.includes('')) {
    const others = [...providers.keys()].filter((name) => !name.startsWith('sandbox-'))
    expect([...new Set(networks.all.map(({ provider }) => provider))].toSorted()).toEqual(others.toSorted())
  }
  const found = await runFaults({ world, api, networks, posts, seed, kills })
  if (posts > USUAL_POSTS) process.stdout.write(found.map((each) => `${JSON.stringify(each)}\n`).join(''))
  expect(found.map(({ network, wrong }): Pick<Found, 'network' | 'wrong'> => ({ network, wrong }))).toEqual(
    found.map(({ network }) => ({ network, wrong: [] })),
  )
}, 3_600_000)
