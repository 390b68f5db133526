import { escapePointer } from '../platform/json-pointer.ts'
import { isStorable } from '../platform/storable-text.ts'
import type { Violation } from './violations.ts'

const MAX_DEPTH = 64
const MAX_VALUES = 20_000
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

type Place = { value: unknown; depth: number; parent: Place | null; name: string }

/**
 * What no schema says but holds for every body: text that can be stored, names that are only names, numbers
 * that are finite, and a size that the checks after this one can afford. Walks without recursion.
 */
export function findUnstorable(body: unknown): Violation[] {
  const violations: Violation[] = []
  const rest: Place[] = [{ value: body, depth: 1, parent: null, name: '' }]
  let seen = 0
  for (let place = rest.pop(); place !== undefined; place = rest.pop()) {
    if (++seen > MAX_VALUES)
      return [{ pointer: '', code: 'too_many', detail: `The body holds more than ${MAX_VALUES} values.` }]
    const { value, depth } = place
    if (typeof value === 'string') {
      if (!isStorable(value)) violations.push(unstorable(place))
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) {
        violations.push({
          pointer: pointerOf(place),
          code: 'out_of_range',
          detail: `${titleOf(place)} is too large a number.`,
        })
      }
    } else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_DEPTH) {
        return [
          {
            pointer: pointerOf(place),
            code: 'too_deep',
            detail: `The body is nested deeper than ${MAX_DEPTH} levels.`,
          },
        ]
      }
      pushChildren(rest, place, value, depth + 1, violations)
    }
  }
  return violations
}

function pushChildren(
  rest: Place[],
  parent: Place,
  value: object,
  depth: number,
  violations: Violation[],
): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && index <= MAX_VALUES; index++) {
      rest.push({ value: value[index] as unknown, depth, parent, name: String(index) })
    }
    return
  }
  for (const [name, child] of Object.entries(value)) {
    const place = { value: child as unknown, depth, parent, name }
    if (!isStorable(name)) violations.push(unstorable(place))
    if (RESERVED.has(name)) {
      violations.push({
        pointer: pointerOf(place),
        code: 'unknown_field',
        detail: `\`${name}\` is not allowed as a field name.`,
      })
    }
    rest.push(place)
  }
}

function unstorable(place: Place): Violation {
  return {
    pointer: pointerOf(place),
    code: 'forbidden_character',
    detail: `${titleOf(place)} holds a NUL character or half of a surrogate pair. Remove it.`,
  }
}

function titleOf({ name }: Place): string {
  return name === '' ? 'The body' : `\`${wellFormed(name)}\``
}

function pointerOf(place: Place): string {
  const names: string[] = []
  for (let at: Place | null = place; at !== null && at.parent !== null; at = at.parent) names.push(at.name)
  return names
    .toReversed()
    .map((name) => `/${escapePointer(wellFormed(name))}`)
    .join('')
}

function wellFormed(name: string): string {
  return name.slice(0, 100).toWellFormed().replaceAll('\u0000', '\uFFFD')
}
