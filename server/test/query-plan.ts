import { type Db, openDb } from '../src/platform/db.ts'
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
  return text.replaceAll(/\$(\d+)/g, (_all, place) => `'${textOf(values[Number(place) - 1])}'`)
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? `{${value.join()}}` : String(value)
}

/** How a statement was carried out, line by line; what it changed is rolled back. */
export async function explained(db: Db, statement: string): Promise<string[]> {
  const reserved = await db.reserve()
  await reserved`begin`
  const lines = await reserved.script<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${statement}`)
  await reserved`rollback`
  reserved.release()
  return lines.map((line) => line['QUERY PLAN'])
}
