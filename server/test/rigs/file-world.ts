import { afterAll, expect } from 'vitest'
import { anApi, announced, type AnApi, type AWorkspace, snapshotOf } from './fixtures.ts'
import { openWorld, type World } from './world.ts'

export type FileWorld = {
  readonly world: World
  readonly api: AnApi
  /** The types of the events that were written in the workspace of a scene, in order. */
  readonly eventsOf: (scene: { workspace: AWorkspace }) => Promise<string[]>
  /** Does something that has to leave all of a workspace as it is, and gives what came of it. */
  readonly changingNothing: <T>(workspace: AWorkspace, act: () => Promise<T>) => Promise<T>
}

/** A database, and the API over it, that the tests of one file share: each makes a workspace of its own in it. */
export async function openFileWorld(): Promise<FileWorld> {
  const world = await openWorld()
  const api = await anApi(world.db)
  afterAll(async () => {
    await api[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })
  return {
    world,
    api,
    async eventsOf({ workspace }) {
      return (await announced(world.db, workspace.workspaceId)).map(({ type }) => type)
    },
    async changingNothing({ workspaceId }, act) {
      const before = await snapshotOf(world.db, workspaceId)
      const done = await act()
      expect(await snapshotOf(world.db, workspaceId)).toEqual(before)
      return done
    },
  }
}

/** As requests give it. */
export const hoursAhead = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()
