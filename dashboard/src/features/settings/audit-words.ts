import type { app } from '@postrider/contract'
import { language } from '../../lib/language.ts'
import { words } from './words.ts'

/** `appCreatePost` as `Create post`. */
export function actionWords(action: string): string {
  const name = action.replace(/^app([A-Z])/, (_, first: string) => first.toLowerCase())
  return words.acts[name] ?? spaced(name)
}

/** A field of the API in the language of the page. */
function fieldWords(name: string): string {
  return words.fields[name] ?? spaced(name)
}

/** `publishAt` as `Publish at`. */
function spaced(name: string): string {
  const said = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replaceAll(/[_.]/g, ' ')
  const lower = said.charAt(0).toUpperCase() + said.slice(1).toLowerCase()
  return lower.replaceAll(/\b(?:url|id)\b/gi, (name) => name.toUpperCase())
}

/** One thing that is other than before. */
export type Change = { readonly what: string; readonly from: string | null; readonly to: string | null }

/** What was changed, field by field: each as it was and as it is, in words. What stayed the same is left out. */
export function changesOf({ before, after }: Pick<app.AuditEntry, 'before' | 'after'>): Change[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return names.flatMap((name) => {
    const [from, to] = [name in was ? valueWords(was[name]) : null, name in is ? valueWords(is[name]) : null]
    return from === to ? [] : [{ what: fieldWords(name), from, to }]
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

/** Within a record, what is not set says nothing. */
function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function inWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return words.none
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (Array.isArray(value)) return value.length === 0 ? words.none : value.map(inWords).join(', ')
  if (isRecord(value)) {
    const said = Object.entries(value)
      .filter(([, one]) => !isEmpty(one))
      .map(([name, one]) => `${inSentence(fieldWords(name))} ${inWords(one)}`)
    return said.length === 0 ? words.none : said.join(', ')
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}

/** German nouns keep their capital within a sentence. */
function inSentence(field: string): string {
  return language === 'en' ? field.toLowerCase() : field
}

/** An entry as a line of a table for a spreadsheet. */
export function csvOf(entries: readonly app.AuditEntry[]): string {
  const head = ['Time (UTC)', 'Who', 'Kind', 'Action', 'Of what', 'Changes', 'From address', 'Request']
  const lines = entries.map((entry) => [
    entry.at,
    entry.actor.name,
    entry.actor.type,
    actionWords(entry.action),
    Object.entries(entry.subject)
      .map(([name, id]) => `${name} ${id}`)
      .join(', '),
    changesOf(entry)
      .map(({ what, from, to }) => `${what}: ${from ?? words.none} -> ${to ?? words.none}`)
      .join('; '),
    entry.address ?? '',
    entry.requestId ?? '',
  ])
  return [head, ...lines].map((line) => line.map(csvCell).join(',')).join('\r\n')
}

/** Quoted where it has to be. What a spreadsheet would take for a formula begins with an apostrophe. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
