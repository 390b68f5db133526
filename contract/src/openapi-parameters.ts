import type { JsonObject } from './openapi-components.ts'

/** The paths with each parameter that several operations take as a reference, and these parameters by their names. */
export function shareParameters(paths: Readonly<Record<string, JsonObject>>): {
  paths: JsonObject
  parameters: JsonObject
} {
  const uses = new Map<string, number>()
  for (const parameter of Object.values(paths).flatMap(parametersIn)) {
    const text = JSON.stringify(parameter)
    uses.set(text, (uses.get(text) ?? 0) + 1)
  }
  const names = new Map<string, string>()
  for (const [text, count] of uses) {
    if (count > 1) names.set(text, newName(nameIn(text), [...names.values()]))
  }
  const refer = (parameter: unknown) => {
    const name = names.get(JSON.stringify(parameter))
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
  }
  return {
    paths: mapEntries(paths, (methods) =>
      mapEntries(methods as Record<string, JsonObject>, (operation) =>
        operation['parameters'] === undefined
          ? operation
          : { ...operation, parameters: (operation['parameters'] as unknown[]).map(refer) },
      ),
    ),
    parameters: Object.fromEntries([...names].map(([text, name]) => [name, JSON.parse(text) as JsonObject])),
  }
}

function parametersIn(methods: JsonObject): unknown[] {
  return Object.values(methods as Record<string, { parameters?: unknown[] }>).flatMap(
    ({ parameters = [] }) => parameters,
  )
}

function nameIn(text: string): string {
  return (JSON.parse(text) as { name: string }).name
}

/** The name of the parameter, with a number where another is called the same. */
function newName(name: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const one = number === 1 ? name : `${name}${number}`
    if (!taken.includes(one)) return one
  }
}

function mapEntries<V>(record: Readonly<Record<string, V>>, map: (value: V) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
