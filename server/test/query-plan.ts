import { type Db, openDb, useIndexPlans } from '../src/platform/db.ts'
import type { World } from './world.ts'

/** The first statement with this text in it that a function sends, with its values written into it. */
export async function statementOf(
  world: World,
  marker: string,
  run: (db: Db) => Promise<unknown>,
): Promise<string> {
  const statements: { text: string; values: readonly unknown[] }[] = []
  const onStatement = (statement: (typeof statements)[number]) => void statements.push(statement)
  const db = openDb({ ...world.connection, applicationName: 'test', max: 1, onStatement })
  await run(db)
  await db.end()
  const { text, values } = statements.find((one) => one.text.includes(marker))!
  return text.replaceAll(/\$(\d+)/g, (_all, place) => quoted(values[Number(place) - 1]))
}

function quoted(value: unknown): string {
  const text = Array.isArray(value) ? `{${value.join()}}` : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

/** How a statement was carried out, line by line; what it changed is rolled back. `byIndex`: as under `useIndexPlans`. */
export async function explained(db: Db, statement: string, { byIndex = false } = {}): Promise<string[]> {
  const reserved = await db.reserve()
  await reserved`begin`
  if (byIndex) await useIndexPlans(reserved)
  const lines = await reserved.script<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${statement}`)
  await reserved`rollback`
  reserved.release()
  return lines.map((line) => line['QUERY PLAN'])
}

/** How many rows the largest step of a plan that was carried out read or passed on, over all of its loops. */
export function mostRows(plan: readonly string[]): number {
  const counts = plan.flatMap((line) => {
    const [, rows, loops] = /rows=([\d.]+) loops=(\d+)/.exec(line) ?? []
    const [, removed] = /Rows Removed by .*: (\d+)/.exec(line) ?? []
    return rows === undefined ? [Number(removed ?? 0)] : [Number(rows) * Number(loops)]
  })
  return Math.max(...counts)
}
