import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

/*
 * The sentences that the server can say to people, as they stand in its sources: with `{}` for what is filled in. They are found by their form, in all of
 * `server/src` but where none is shown to people, so that a new folder is walked, too.
 */

/** What is said to operators and to programs alone. */
const NOT_TO_PEOPLE: readonly RegExp[] = [
  /^operate\/|^platform\/config\/|^accounts\/first-start\/|^doors\/(?:mcp|dashboard)\/|^people\/(?:mail|audit)\/|^engine\/outbox\//,
  // What a model is told, and not who asked it.
  /^content\/ai\/(?:check-answer|draft-prompt)\.ts/,
  // What only a program can get wrong of a request: the dashboard tells it by its code.
  /^edge\/api\/(?!request\/(?:schema-rules|violations))/,
  /^edge\/operations|^people\/apps\/mount-oauth/,
  /^content\/posts\/(?:.*\/)?(?:plan|publish-time|command-scope|refuse-parts)\.ts/,
  // To the command line of the operator.
  /^people\/sign-in\/session\/operator-|^people\/members\/choose-workspace/,
  // Faults of a machine, for its operator.
  /^platform\/(?!outbound\/outbound-guard|outbound\/line-fault|process\/worker-pool)/,
  /^app\/(?:app|run|serve)\.ts|^accounts\/sandbox\/sandbox-process|^engine\/(?:webhooks\/start-webhooks|publication\/publication-metrics)\.ts/,
  /^media\/(?:claim|adopt)-storage\.ts/,
  // The dashboard has words of its own for these.
  /-states\.ts$|^engine\/webhooks\/sample-event\.ts/,
]

/** Members whose text is part of the API's description. */
const DESCRIPTIONS = new Set(['description', 'summary', 'help', 'meaning'])

type Node = { readonly type?: string; readonly [member: string]: unknown }

/** Every sentence, and the file that says it. */
export function serverSentences(root: string): Map<string, string> {
  const found = sentencesBelow(root)
  // What is wrong with a plan is said by what reads it, wherever that is.
  for (const [text, name] of sentencesBelow(join(root, '../../contract/src/plan'))) found.set(text, name)
  return found
}

function sentencesBelow(root: string): Map<string, string> {
  const found = new Map<string, string>()
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  for (const name of names) {
    if (!name.endsWith('.ts') || /\.test\.ts$|\/words(?:\.de)?\.ts$/.test(name)) continue
    if (NOT_TO_PEOPLE.some((pattern) => pattern.test(name))) continue
    const text = readFileSync(join(root, name), 'utf8')
    for (const one of textsOf(parseSync(name, text).program)) if (isSentence(one)) found.set(one, name)
  }
  return found
}

function isSentence(text: string): boolean {
  // What the settings of networks mean is part of the API's description.
  if (text.startsWith('Whether ')) return false
  return (
    /^[\p{Lu}{`“(]/u.test(text) &&
    /[.?!”]$|[.:] ?\{\}$/.test(text) &&
    /\p{Ll}{2}/u.test(text) &&
    / /.test(text) &&
    !/\r?\n/.test(text)
  )
}

function textsOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsOf)
  if (typeof node !== 'object' || node === null) return []
  const { type, ...members } = node as Node
  if (type === 'ImportDeclaration' || type === 'TaggedTemplateExpression') return []
  // A fault of ours is no sentence to anybody.
  if (type === 'NewExpression' && nameOf(members['callee']).endsWith('Error')) return []
  if (type === 'Property' && DESCRIPTIONS.has(nameOf(members['key']))) return []
  if (type === 'Literal') return typeof members['value'] === 'string' ? [members['value']] : []
  const own =
    type === 'TemplateLiteral'
      ? [(members['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('{}')]
      : []
  return [...own, ...Object.values(members).flatMap(textsOf)]
}

function nameOf(node: unknown): string {
  return (node as { name?: string } | undefined)?.name ?? ''
}

/** The names that the server gives in the audit log to what was there before and what is there since. */
export function auditedNames(root: string): string[] {
  const names: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null) return
    const { type, ...members } = node as Node
    if (type === 'Property' && /^(?:before|after)$/.test(nameOf(members['key']))) collect(members['value'])
    Object.values(members).forEach(visit)
  }
  const collect = (node: unknown): void => {
    const { type, properties } = node as { type?: string; properties?: { key?: unknown; value?: unknown }[] }
    if (type !== 'ObjectExpression') return
    for (const { key, value } of properties ?? []) {
      if (key !== undefined) names.push(nameOf(key))
      if (value !== undefined) collect(value)
    }
  }
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
    if (
      name.endsWith('.ts') &&
      !name.endsWith('.test.ts') &&
      !/^(?:platform|people\/mail|engine\/webhooks|content\/listing)\//.test(name)
    )
      visit(parseSync(name, readFileSync(join(root, name), 'utf8')).program)
  return names.filter((name) => name !== '')
}
