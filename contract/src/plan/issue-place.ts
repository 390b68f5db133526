import { fieldRows } from '../content-fields.ts'
import type { PlannedPost, PlannedTarget } from './read-plan.ts'

/** How plans call fields. */
const KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries(fieldRows).map(([name, { plan }]) => [name, plan.key]),
)

/** Where in the plan stands what a pointer into the request names. */
export function pathOf(pointer: string, { targets }: PlannedPost): (string | number)[] {
  const [first, index, ...rest] = pointer
    .split('/')
    .slice(1)
    .map((word) => (/^\d+$/.test(word) ? Number(word) : word))
  const renamed = (words: readonly (string | number | undefined)[]) =>
    words.flatMap((word) => (word === undefined ? [] : [KEYS.get(String(word)) ?? word]))
  if (first === 'channelIds') return ['channels', targets[Number(index)]?.place ?? 0]
  if (first !== 'targets') return renamed([first, index, ...rest])
  const target: PlannedTarget | undefined = targets[Number(index)]
  return target === undefined ? [] : ['perChannel', target.name, ...renamed(rest)]
}
