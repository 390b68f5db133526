import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import type { Sql } from '../platform/postgres/db.ts'
import type { MediaStorage } from './media-storage.ts'
import { addMark, noteContest, readInstallationId, readMarks } from './place-store.ts'

/** What an installation notes of itself in the storage that it uses, under its id: for people, and to recognise itself. */
const Mark = Type.Object({
  mark: Type.String(),
  /** Where it is reached. */
  address: Type.String(),
  host: Type.String(),
  /** By the clock of its database. */
  at: Type.String(),
})

export type User = Pick<Static<typeof Mark>, 'address' | 'host'> & {
  readonly installationId: string
  readonly at: Date
  /** Whether it is this one: a copy of its database has the same id, and other marks. */
  readonly isThis: boolean
}

/** The installations that have noted that they use the storage, the latest first. */
export async function usersOf(sql: Sql, storage: MediaStorage): Promise<User[]> {
  const found = await storage.readMarks()
  const [ownId, own] = [await readInstallationId(sql), await readMarks(sql)]
  const users = [...found].flatMap(([installationId, text]) => {
    const read = parse(text)
    if (read === null) return []
    const isThis = installationId === ownId && own.includes(read.mark)
    return [{ installationId, address: read.address, host: read.host, at: new Date(read.at), isThis }]
  })
  return users.toSorted((a, b) => b.at.getTime() - a.at.getTime())
}

/**
 * Notes that this installation uses the storage, and says whether another database has done so under the same id since: a copy, of which
 * neither can know what the other has stored. Each sees the other's mark, whichever of them is the copy, and keeps its hands off then.
 */
export async function renewMark(
  sql: Sql,
  storage: MediaStorage,
  address: string,
  signal?: AbortSignal,
): Promise<{ contested: boolean }> {
  const id = await readInstallationId(sql)
  const found = parse((await storage.readMarks(signal)).get(id) ?? '')
  const mark = randomUUID()
  // Read after what was found, and written before the mark is: so those of other processes on this database are among them.
  const { marks, at } = await addMark(sql, mark)
  const contested = found !== null && !marks.includes(found.mark)
  if (contested) await noteContest(sql)
  await storage.writeMark(id, JSON.stringify({ mark, address, host: hostname(), at: at.toISOString() }))
  return { contested }
}

function parse(text: string): Static<typeof Mark> | null {
  try {
    const read: unknown = JSON.parse(text)
    return Check(Mark, read) && !Number.isNaN(Date.parse(read.at)) ? read : null
  } catch {
    return null
  }
}
