import { pointerTo, shownName } from './pointer.ts'
import { patternOf, RULES } from './schema-rules.ts'
import { isSchema, type Schema } from './schema-shape.ts'

/** One broken rule: where, which kind, and what to do about it. */
export type Violation = { pointer: string; code: string; detail: string }

/** How a violation of a body, or of a query, says where it is. */
export type Pointing = 'body' | 'query'

/** No request is told of more, and no more are looked for. */
export const MAX_VIOLATIONS = 20

type Steps = readonly (string | number)[]

/** What has been found, and how much more is wanted. */
type Findings = { readonly pointing: Pointing; readonly found: Violation[]; readonly limit: number }

/**
 * Says which rules of its schema a value breaks, in the order of the schema, for the person or agent who wrote the
 * request. Of one value only the first broken rule is told. Stops at MAX_VIOLATIONS, and looks at no more of a list
 * than may be in it: the work is bounded by the value, and nothing multiplies it. Only for values that Ajv refuses: there
 * is always something to tell.
 */
export function explain(schema: Schema, value: unknown, pointing: Pointing): Violation[] {
  const found = violationsOf(schema, value, pointing)
  return found.length > 0
    ? found
    : [{ pointer: at([], { pointing }), code: 'not_allowed', detail: 'Something in the request is invalid.' }]
}

/** As `explain`, of a value that may break none. */
export function violationsOf(schema: Schema, value: unknown, pointing: Pointing): Violation[] {
  const findings: Findings = { pointing, found: [], limit: MAX_VIOLATIONS }
  explainValue(schema, value, [], findings)
  return findings.found
}

function explainValue(schema: Schema, value: unknown, steps: Steps, findings: Findings): void {
  if (isFull(findings)) return
  const broken = brokenRule(schema, value, nameOf(steps, findings.pointing))
  if (broken !== null) add(findings, steps, ...broken)
  if (broken?.[0] === 'wrong_type') return
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword]
    if (Array.isArray(branches)) explainChoice(branches.filter(isSchema), value, steps, findings)
  }
  if (Array.isArray(schema['allOf'])) {
    for (const part of schema['allOf'].filter(isSchema)) explainValue(part, value, steps, findings)
  }
  if (Array.isArray(value)) explainList(schema, value, steps, findings)
  else if (isSchema(value)) explainObject(schema, value, steps, findings)
}

/** The first rule that the value itself breaks, whatever is in it: the kind of violation, and a sentence. */
function brokenRule(schema: Schema, value: unknown, name: string): [code: string, detail: string] | null {
  for (const [keyword, rule] of RULES) {
    if (!(keyword in schema)) continue
    const broken = rule(schema[keyword], value, name, schema)
    if (broken !== null) return broken
  }
  return null
}

/**
 * A value that fits none of several shapes breaks rules of each. Only those of the shape that it comes closest to are
 * worth reading.
 */
function explainChoice(branches: readonly Schema[], value: unknown, steps: Steps, findings: Findings): void {
  let closest: Violation[] | null = null
  let least = Infinity
  for (const branch of branches) {
    const inside: Findings = { ...findings, found: [] }
    explainValue(branch, value, steps, inside)
    const wrongKind =
      inside.found[0]?.code === 'wrong_type' && inside.found[0].pointer === at(steps, findings)
    const distance = inside.found.length + (wrongKind ? 1_000 : 0)
    if (distance < least) [closest, least] = [inside.found, distance]
    if (distance === 0) return
  }
  for (const violation of closest ?? []) if (!isFull(findings)) findings.found.push(violation)
}

function explainList(schema: Schema, list: readonly unknown[], steps: Steps, findings: Findings): void {
  const { items, maxItems } = schema
  if (!isSchema(items)) return
  const end = typeof maxItems === 'number' ? Math.min(maxItems, list.length) : list.length
  for (let index = 0; index < end && !isFull(findings); index++) {
    explainValue(items, list[index], [...steps, index], findings)
  }
}

function explainObject(schema: Schema, object: Schema, steps: Steps, findings: Findings): void {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const patterns = Object.entries(
    isSchema(schema['patternProperties']) ? schema['patternProperties'] : {},
  ).map(([source, pattern]) => ({ matches: patternOf(source), pattern }))
  const others = schema['additionalProperties']
  for (const name of Array.isArray(schema['required']) ? schema['required'].map(String) : []) {
    if (Object.hasOwn(object, name)) continue
    const path = [...steps, name]
    add(findings, path, 'required', `${nameOf(path, findings.pointing)} is missing.`)
  }
  for (const [name, property] of Object.entries(properties)) {
    if (Object.hasOwn(object, name) && isSchema(property)) {
      explainValue(property, object[name], [...steps, name], findings)
    }
  }
  if (patterns.length === 0 && (others === undefined || others === true)) return
  for (const name in object) {
    if (isFull(findings)) return
    if (Object.hasOwn(properties, name)) continue
    const path = [...steps, name]
    const matching = patterns.filter(({ matches }) => matches.test(name))
    for (const { pattern } of matching)
      if (isSchema(pattern)) explainValue(pattern, object[name], path, findings)
    if (matching.length > 0) continue
    if (others === false) add(findings, path, 'unknown_field', unknownField(path, name, properties, findings))
    else if (isSchema(others)) explainValue(others, object[name], path, findings)
  }
}

function isFull({ found, limit }: Findings): boolean {
  return found.length >= limit
}

function add(findings: Findings, steps: Steps, code: string, detail: string): void {
  if (isFull(findings)) return
  findings.found.push({ pointer: at(steps, findings), code, detail: detail.toWellFormed() })
}

function at(steps: Steps, { pointing }: Pick<Findings, 'pointing'>): string {
  return pointing === 'query' ? `?${shownName(steps.join('/'))}` : pointerTo(steps)
}

/** A field as people call it: its path in dots and brackets. */
export function nameOf(steps: Steps, pointing: Pointing): string {
  if (steps.length === 0) return pointing === 'query' ? 'The query' : 'The body'
  const dotted = steps
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${shownName(step)}`,
    )
    .join('')
  return `\`${dotted.slice(0, 200)}\``
}

function unknownField(steps: Steps, unknown: string, properties: Schema, { pointing }: Findings): string {
  const name = nameOf(steps, pointing)
  const known = Object.keys(properties)
  const kind = pointing === 'query' ? 'parameter' : 'field'
  if (known.length === 0) return `${name} is not known here: no ${kind}s are allowed.`
  const near = known.find((candidate) => isNear(candidate.toLowerCase(), unknown.slice(0, 100).toLowerCase()))
  const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`
  return `${name} is not known here.${hint} Allowed: ${known.map((field) => `\`${field}\``).join(', ')}.`
}

/** Whether two names differ by case, one letter, or two neighbours that changed places. */
function isNear(a: string, b: string): boolean {
  if (a === b) return true
  if (Math.abs(a.length - b.length) > 1 || a.length < 3) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  return (
    (restA.length <= 1 && restB.length <= 1) ||
    (restA.length === 2 && restA[1] === restB[0] && restA[0] === restB[1])
  )
}
