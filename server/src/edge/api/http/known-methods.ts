import type { FastifyInstance } from 'fastify'

/** Tells the methods that a path has, for the answer to another one; none for a path that is not routed. */
export type KnownMethods = (path: string) => string[]

/** Keeps the methods of all routes that are mounted from now on. */
export function recordMethods(app: FastifyInstance): KnownMethods {
  const methodsByPattern = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsByPattern.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    methodsByPattern.set(url, known)
    for (const name of [method].flat()) known.methods.add(name)
  })
  return (path) =>
    [...methodsByPattern.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ methods }) => [...methods])
      .toSorted((a, b) => (a < b ? -1 : 1))
}

/** `/posts/:postId` as what matches a path; `*` stands for any rest. */
function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`)
}
