import { afterAll } from 'vitest'
import { anApi, type AnApi } from './fixtures.ts'
import { openWorld, type World } from './world.ts'

/** A database, and the API over it, that the tests of one file share: each makes a workspace of its own in it. */
export async function openFileWorld(): Promise<{ world: World; api: AnApi }> {
  const world = await openWorld()
  const api = await anApi(world.db)
  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })
  return { world, api }
}
