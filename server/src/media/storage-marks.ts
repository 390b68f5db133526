import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Sql } from '../platform/postgres/db.ts'
import type { MediaStorage } from './media-storage.ts'
import { addMark, noteContest, readInstallationId, readMarks } from './place-store.ts'

/** What an installation notes of itself in the storage that it uses, under its id: for people, and to recognise itself. */
type Mark = {
  readonly mark: string
  /** Where it is reached. */
  readonly address: string
  readonly host: string
  /** By the clock of its database. */
  readonly at: string
}

export type User = Pick<Mark, 'address' | 'host'> & {
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

/** Commands read marks, too, which start without a library of schemas. */
function parse(text: string): Mark | null {
  try {
    const read = JSON.parse(text) as Partial<Record<keyof Mark, unknown>> | null
    const { mark, address, host, at } = read ?? {}
    const isMark =
      typeof mark === 'string' &&
      typeof address === 'string' &&
      typeof host === 'string' &&
      typeof at === 'string'
    return isMark && !Number.isNaN(Date.parse(at)) ? { mark, address, host, at } : null
  } catch {
    return null
  }
}
