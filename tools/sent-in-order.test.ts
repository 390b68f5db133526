import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, visitorKeys } from 'oxc-parser'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../server/src')

type Node = { readonly type: string; readonly start: number } & Record<string, unknown>

/*
 * A statement in a template is sent by whoever waits for it: in a list for `Promise.all` after everything that functions in that list
 * send. A lock written so would be taken after what it is to keep had been read.
 */
test('what is sent together is sent in the order in which it is written', () => {
  const faults = globSync('**/*.ts', { cwd: source })
    .filter((name) => !name.endsWith('.test.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(source, name), 'utf8')
      const lists = [...listsOf(parseSync(name, text).program as unknown as Node)]
      return lists
        .filter((elements) => elements.some((one, place) => isLate(one, elements.slice(place + 1))))
        .map(([first]) => `${name}:${text.slice(0, first?.start).split('\n').length}`)
    })
  expect(faults).toEqual([])
})

function isLate(element: Node, after: readonly Node[]): boolean {
  return element.type === 'TaggedTemplateExpression' && after.some(({ type }) => type === 'CallExpression')
}

/** The lists that are given to `Promise.all`. */
function* listsOf(node: Node): Generator<readonly Node[]> {
  if (node.type === 'CallExpression') {
    const { object, property } = node['callee'] as {
      object?: { name?: string }
      property?: { name?: string }
    }
    const [list] = node['arguments'] as Node[]
    if (object?.name === 'Promise' && property?.name === 'all' && list?.type === 'ArrayExpression')
      yield (list['elements'] as (Node | null)[]).filter((one) => one !== null)
  }
  for (const key of visitorKeys[node.type] ?? [])
    for (const child of [node[key]].flat()) if (isNode(child)) yield* listsOf(child)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
