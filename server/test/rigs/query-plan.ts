import {
  type Db,
  type DbOptions,
  openDb,
  type Reserved,
  useIndexPlans,
} from '../../src/platform/postgres/db.ts'
import type { Statement } from '../../src/platform/postgres/query.ts'
import type { World } from './world.ts'

/** Sent by a function, in order; each connection has as many of them as it needs. */
async function statementsOf(
  world: World,
  run: (db: Db) => Promise<unknown>,
  options: Partial<DbOptions> = {},
): Promise<Statement[]> {
  const statements: Statement[] = []
  const onStatement = (statement: Statement) => void statements.push(statement)
  const db = openDb({ ...world.connection, applicationName: 'test', max: 1, onStatement, ...options })
  await run(db)
  await db.end()
  return statements
}

/** The first statement with this text in it that a function sends, with its values written into it. */
export async function statementOf(
  world: World,
  marker: string,
  run: (db: Db) => Promise<unknown>,
): Promise<string> {
  const statements = await statementsOf(world, run)
  const { text, values } = statements.find((one) => one.text.includes(marker))!
  return text.replaceAll(/\$(\d+)/g, (_all, place) => literal(values[Number(place) - 1]!))
}

function literal(value: Statement['values'][number]): string {
  if (value === null) return 'null'
  return `'${typeof value === 'string' ? value.replaceAll("'", "''") : `\\x${value.toString('hex')}`}'`
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

/** What statements read of tables and indexes. */
export type Reads = {
  /** Rows, those that were read and passed over included. */
  rows: number
  indexes: Set<string>
  /** Tables that were read from end to end. */
  whole: Set<string>
}

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/**
 * What the statements of a function read on a connection of the server. They are run once more for that, and what they change
 * then is rolled back.
 */
export async function readsOf(world: World, run: (db: Db) => Promise<unknown>): Promise<Reads> {
  const reads: Reads = { rows: 0, indexes: new Set(), whole: new Set() }
  const statements = await statementsOf(world, run, { byIndex: true })
  const reserved = await world.db.reserve()
  try {
    await reserved.script('begin; set local enable_seqscan = off')
    for (const statement of statements) addReads(await planOf(reserved, statement), reads)
    await reserved`rollback`
  } finally {
    reserved.release()
  }
  return reads
}

async function planOf(reserved: Reserved, { text, values }: Statement): Promise<PlanNode> {
  await reserved.script(`prepare explained as ${text}`)
  const given = values.length === 0 ? '' : `(${values.map(literal).join()})`
  const [row] = await reserved.script<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) execute explained ${given}`,
  )
  await reserved.script('deallocate explained')
  return row!['QUERY PLAN'][0].Plan
}

function addReads(node: PlanNode, reads: Reads): void {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index } = node
  const runs = node['Actual Loops']
  if (runs > 0 && index !== undefined) reads.indexes.add(index)
  if (runs > 0 && type === 'Seq Scan' && table !== undefined) reads.whole.add(table)
  if (index !== undefined || table !== undefined) {
    const passedOver = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    reads.rows += (node['Actual Rows'] + passedOver) * runs
  }
  for (const below of node.Plans ?? []) addReads(below, reads)
}
