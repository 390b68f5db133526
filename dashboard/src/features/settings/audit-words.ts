import type { app } from '@postrider/contract'
import { words } from './words.ts'

/** `appCreatePost` as `Create post`. */
export function actionWords(action: string): string {
  const name = action.replace(/^app([A-Z])/, (_, first: string) => first.toLowerCase())
  return words.acts[name] ?? sentence(name)
}

/** `publishAt` as `Publish at`. */
function sentence(name: string): string {
  const spaced = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replaceAll(/[_.]/g, ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase()
}

/** One thing that is other than before. */
export type Change = { readonly what: string; readonly from: string | null; readonly to: string | null }

/** What was changed, field by field: each as it was and as it is, in words. What stayed the same is left out. */
export function changesOf({ before, after }: Pick<app.AuditEntry, 'before' | 'after'>): Change[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return names.flatMap((name) => {
    const [from, to] = [name in was ? valueWords(was[name]) : null, name in is ? valueWords(is[name]) : null]
    return from === to ? [] : [{ what: sentence(name), from, to }]
  })
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return {}
  return isRecord(value) ? value : { value }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const SHOWN = 200

function valueWords(value: unknown): string {
  const said = inWords(value)
  return said.length > SHOWN ? `${said.slice(0, SHOWN)}…` : said
}

function inWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return words.none
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (Array.isArray(value)) return value.length === 0 ? words.none : value.map(inWords).join(', ')
  if (isRecord(value))
    return Object.entries(value)
      .map(([name, one]) => `${sentence(name).toLowerCase()} ${inWords(one)}`)
      .join(', ')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}

/** An entry as a line of a table for a spreadsheet. */
export function csvOf(entries: readonly app.AuditEntry[]): string {
  const head = ['Time (UTC)', 'Who', 'Kind', 'Action', 'Of what', 'Changes', 'From address', 'Request']
  const lines = entries.map((entry) => [
    ...[entry.at, entry.actor.name, entry.actor.type, actionWords(entry.action)],
    Object.entries(entry.subject)
      .map(([name, id]) => `${name} ${id}`)
      .join(', '),
    changesOf(entry)
      .map(({ what, from, to }) => `${what}: ${from ?? words.none} -> ${to ?? words.none}`)
      .join('; '),
    ...[entry.address ?? '', entry.requestId ?? ''],
  ])
  return [head, ...lines].map((line) => line.map(csvCell).join(',')).join('\r\n')
}

/** Quoted where it has to be. What a spreadsheet would take for a formula begins with an apostrophe. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
