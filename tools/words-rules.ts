/** Where a text stands: on pages and in mails, in documents, or on the pages of problems. */
export type Scope = 'ui' | 'docs' | 'problems'

export type Rule = { readonly not: RegExp; readonly but: string; readonly in: readonly Scope[] }

export function readRules(given: readonly { not: string; but: string; in: Scope[] }[]): Rule[] {
  return given.map(({ not, but, in: scopes }) => {
    const isWord = /^\w/.test(not)
    return { not: new RegExp(isWord ? String.raw`\b(?:${not})` : not, 'i'), but, in: scopes }
  })
}

/** As many words as a sentence on a page may have. */
const WORDS_MAX = 30

/** What is wrong with a text, in sentences. */
export function faultsOf(text: string, scope: Scope, rules: readonly Rule[]): string[] {
  const found = rules
    .filter((rule) => rule.in.includes(scope))
    .flatMap(({ not, but }) => {
      const [word] = not.exec(text) ?? []
      return word === undefined ? [] : [`“${word}” in “${text.slice(0, 60)}”: ${but}`]
    })
  if (scope !== 'ui') return found
  const long = text.split(/(?<=[.?!:]) /).filter((sentence) => sentence.split(/\s+/).length > WORDS_MAX)
  return [...found, ...long.map((sentence) => `more than ${WORDS_MAX} words: “${sentence.slice(0, 80)}…”`)]
}

/** Names that are not ours. */
const OF_OTHERS = new Set(['utm_source', 'utm_campaign', 'thread_id', 'threads_basic'])

/**
 * The names of the API in a text that people read: between backticks, or in the form of one. What stands in quotes is what its reader wrote,
 * such as the columns of a file, or a command for operators.
 */
export function apiNames(text: string): string[] {
  const coded = [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  const formed =
    text
      .replaceAll(/[“„][^“”]*[”“]/g, '')
      .match(/(?<![\p{L}\d/.])[a-z]+(?:[A-Z][a-z]+)+\b(?!\()|\b[a-z]+(?:_[a-z]+)+\b/gu) ?? []
  return [...new Set([...coded, ...formed])].filter(
    (name) => !/^(?:postrider |\{|…)/.test(name) && !OF_OTHERS.has(name),
  )
}

type Node = { readonly type?: string; readonly [member: string]: unknown }

/** All strings and templates of a program, with `…` for what is put in. */
export function textsOf(program: unknown): string[] {
  const texts: string[] = []
  walk(program, (node) => {
    if (node.type === 'ImportDeclaration' || node.type === 'ImportExpression') return false
    if (node.type === 'Literal' && typeof node['value'] === 'string') texts.push(node['value'])
    if (node.type === 'TemplateLiteral') {
      const pieces = node['quasis'] as { value: { cooked: string } }[]
      texts.push(pieces.map(({ value }) => value.cooked).join('…'))
    }
    return true
  })
  return texts.filter((text) => /\p{L}/u.test(text))
}

/** Attributes that people read. */
const READ = new Set([
  'label',
  'title',
  'lead',
  'hint',
  'placeholder',
  'alt',
  'aria-label',
  'act',
  'all',
  'warning',
])

/** Texts among the elements of a screen, and in attributes that people read. */
export function loneTexts(program: unknown): string[] {
  const texts: string[] = []
  walk(program, (node) => {
    if (node.type === 'JSXText') texts.push(String(node['value']).trim())
    if (node.type === 'JSXAttribute') {
      const { name, value } = node as unknown as { name: { name: unknown }; value: Node | null }
      if (value?.type === 'Literal' && READ.has(String(name.name))) texts.push(String(value['value']))
    }
    return true
  })
  return texts.filter((text) => /\p{L}{2}/u.test(text) && !text.startsWith('http') && text !== 'HTTP')
}

/** Visits each node; the nodes below one for which `visit` gives false are left out. */
function walk(node: unknown, visit: (node: Node) => boolean): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit)
  else if (typeof node === 'object' && node !== null) {
    if ('type' in node && !visit(node as Node)) return
    for (const [name, value] of Object.entries(node))
      if (name !== 'type' && typeof value === 'object') walk(value, visit)
  }
}
