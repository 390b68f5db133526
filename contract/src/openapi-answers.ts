import { type Components, type JsonObject, open } from './openapi-components.ts'
import { sampleOf } from './openapi-examples.ts'
import type { Operation } from './operation.ts'

/** What operations answer where they succeed. */
export type SharedAnswers = {
  /** The answer of the operation, or a reference to one that it shares with all operations that answer with the same. */
  readonly refer: (operation: Operation) => JsonObject
  /** The shared ones by name, each with an example for every form that it may have. */
  readonly responses: () => JsonObject
  /** The examples that several of these answers show, by name. */
  readonly examples: () => JsonObject
}

/** Answers whose schema has a name are shared, each under the name of its schema. */
export function sharedAnswers(operations: readonly Operation[], components: Components): SharedAnswers {
  const json = operations.filter(({ answer }) => answer.bytes === undefined)
  const inUnions = new Set(json.map(variantsOf).flatMap((all) => (all.length > 1 ? all.flatMap(nameOf) : [])))
  const samples = new Map(
    json
      .flatMap(variantsOf)
      .flatMap((schema) => nameOf(schema).map((name) => [name, sampleOf(schema)] as const)),
  )

  const exampleOf = (name: string) =>
    inUnions.has(name) ? { $ref: `#/components/examples/${name}` } : { value: samples.get(name) }

  const responses = new Map<string, JsonObject>()

  function sharedAnswer(operation: Operation, names: readonly string[]): JsonObject {
    const { schema, description } = operation.answer
    const [only] = names.length === 1 ? names : []
    const shown =
      only === undefined || inUnions.has(only)
        ? { examples: Object.fromEntries(names.map((name) => [name, exampleOf(name)])) }
        : { example: samples.get(only) }
    return {
      // What it is stands in its schema. Of several schemas, the first operation says which.
      description: only === undefined ? description : 'Success.',
      content: { 'application/json': { schema: open(components.refer(schema)), ...shown } },
    }
  }

  return {
    refer(operation) {
      const { answer } = operation
      if (answer.bytes !== undefined) {
        const content = Object.fromEntries(answer.bytes.map((type) => [type, {}]))
        return { description: answer.description, content }
      }
      const names = variantsOf(operation).flatMap(nameOf)
      if (names.length === 0) {
        const schema = open(components.refer(answer.schema))
        const example = sampleOf(answer.schema)
        return { description: answer.description, content: { 'application/json': { schema, example } } }
      }
      const name = names.join('Or')
      components.refer(answer.schema)
      if (!responses.has(name)) responses.set(name, sharedAnswer(operation, names))
      return { $ref: `#/components/responses/${name}` }
    },
    responses: () => Object.fromEntries(responses),
    examples: () => Object.fromEntries([...inUnions].map((name) => [name, { value: samples.get(name) }])),
  }
}

function variantsOf({ answer }: Operation): unknown[] {
  const { anyOf } = answer.schema as { anyOf?: unknown[] }
  return anyOf ?? [answer.schema]
}

/** The name of a schema, in a list; an empty one where it has none. */
function nameOf(schema: unknown): string[] {
  const { $id } = schema as { $id?: string }
  return $id === undefined ? [] : [$id]
}
