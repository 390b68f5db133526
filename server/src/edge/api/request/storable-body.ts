import { reservedNames } from '@postrider/contract/names'
import { isStorable } from '../../../platform/text/storable-text.ts'
import { pointerTo } from './pointer.ts'
import { MAX_VIOLATIONS, nameOf, type Violation } from './violations.ts'

type Place = { value: unknown; parent: Place | null; name: string | number }

/**
 * What no schema says but holds for every body: text that can be stored, names that are only names, and numbers that
 * are finite. Walks without recursion, and no further than to what is worth telling.
 */
export function findUnstorable(body: unknown): Violation[] {
  const violations: Violation[] = []
  const rest: Place[] = [{ value: body, parent: null, name: '' }]
  for (let place = rest.pop(); place !== undefined; place = rest.pop()) {
    violations.push(...faultsOf(place))
    if (violations.length >= MAX_VIOLATIONS) return violations.slice(0, MAX_VIOLATIONS)
    pushChildren(rest, place)
  }
  return violations
}

function faultsOf(place: Place): Violation[] {
  const { value, name } = place
  const faults: Violation[] = []
  if (typeof name === 'string' && !isStorable(name)) faults.push(unstorable(place))
  if (typeof name === 'string' && reservedNames.includes(name)) {
    const detail = `\`${name}\` is not allowed as a field name.`
    faults.push({ pointer: pointerOf(place), code: 'unknown_field', detail })
  }
  if (typeof value === 'string' && !isStorable(value)) faults.push(unstorable(place))
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const detail = `${titleOf(place)} is too large a number.`
    faults.push({ pointer: pointerOf(place), code: 'out_of_range', detail })
  }
  return faults
}

/** Adds what is in an object or a list, the first on top. */
function pushChildren(rest: Place[], parent: Place): void {
  const { value } = parent
  if (typeof value !== 'object' || value === null) return
  const children = Array.isArray(value)
    ? value.map((child: unknown, name): Place => ({ value: child, parent, name }))
    : Object.entries(value).map(([name, child]): Place => ({ value: child, parent, name }))
  for (const child of children.toReversed()) rest.push(child)
}

function unstorable(place: Place): Violation {
  return {
    pointer: pointerOf(place),
    code: 'forbidden_character',
    detail: `${titleOf(place)} holds a NUL character or half of a surrogate pair. Remove it.`,
  }
}

function titleOf(place: Place): string {
  return nameOf(stepsTo(place), 'body')
}

function pointerOf(place: Place): string {
  return pointerTo(stepsTo(place))
}

function stepsTo(place: Place): (string | number)[] {
  const steps: (string | number)[] = []
  for (let at: Place | null = place; at !== null && at.parent !== null; at = at.parent) steps.push(at.name)
  return steps.toReversed()
}
