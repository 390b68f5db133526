import { app, operations } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { providers } from '../../../networks/providers/registry.ts'
import { compileSchema } from '../request/formats.ts'
import { isSchema, type Schema } from '../request/schema-shape.ts'
import { explain } from '../request/violations.ts'

/* Every text of a request is a line, keeps to a format or to characters that are named, or is here. */

/** Texts of an author or a person, who may write several lines. */
const SEVERAL_LINES = [
  'text',
  'altText',
  'note',
  'brief',
  'prompt',
  'audience',
  'tone',
  'currentText',
  'file',
  'excerpt',
  'contentWarning',
  'template/fields/*',
]
/** What is only looked for, compared, or parsed: nothing else is stored of it than what was there, or what it means. */
const COMPARED = [
  'action',
  'author',
  'controlToken',
  'cursor',
  'digest',
  'editToken',
  'label',
  'language',
  'modelId',
  'movesToken',
  'networks/[]',
  'provider',
  'q',
  'remoteId',
  'remove/[]',
  'rule',
  'sourceUrl',
  'timeZone',
  'url',
  'who',
  // What a form asks for: addresses, accounts and secrets, which the network's adapter checks.
  'fields/*',
]
const exempt = [...SEVERAL_LINES, ...COMPARED]

type Field = { readonly path: string; readonly schema: Schema }

function textsOf(schema: unknown, path: string): Field[] {
  if (!isSchema(schema)) return []
  const { properties, patternProperties, items, additionalProperties } = schema
  const isText = schema['type'] === 'string' && !('enum' in schema) && !('const' in schema)
  return [
    ...(isText ? [{ path, schema }] : []),
    ...Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, one]) =>
      textsOf(one, `${path}/${name}`),
    ),
    ...Object.values(isSchema(patternProperties) ? patternProperties : {}).flatMap((one) =>
      textsOf(one, `${path}/*`),
    ),
    ...textsOf(items, `${path}/[]`),
    ...textsOf(additionalProperties, `${path}/*`),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      Array.isArray(schema[keyword]) ? schema[keyword].flatMap((one) => textsOf(one, path)) : [],
    ),
  ]
}

/** Whether a pattern names the characters that it takes, and takes nothing around them. */
function namesItsCharacters(pattern: unknown): boolean {
  const text = String(pattern)
  return (
    /^\^.*\$$/.test(text) &&
    !/\[\^|\\[SWD]|\\[pP]\{/.test(text) &&
    !/(?<!\\)\./.test(text.replaceAll(/\[[^\]]*\]/g, ''))
  )
}

const all = [...operations, ...app.appOperations]
const fields = [
  ...all.flatMap(({ id, query, body, checkedBody }) =>
    [query, body, checkedBody].flatMap((part) => textsOf(part, id)),
  ),
  ...[...providers.values()].flatMap(({ provider, settings }) => textsOf(settings, provider)),
]
const lines = fields.filter(({ schema }) => schema['format'] === 'line')
const isExempt = ({ path }: Field) => exempt.find((end) => path.endsWith(`/${end}`))
const fieldPaths = (some: readonly Field[]) => [...new Set(some.map(({ path }) => path))]

describe('texts of requests', () => {
  test('are lines, or need not be', () => {
    const loose = fields.filter(
      (field) =>
        field.schema['format'] === undefined &&
        !namesItsCharacters(field.schema['pattern']) &&
        isExempt(field) === undefined,
    )
    expect(fieldPaths(loose)).toEqual([])
  })

  test('that need not be lines are all there', () => {
    const used = new Set(fields.map(isExempt))
    expect(exempt.filter((end) => !used.has(end))).toEqual([])
  })

  test('are lines where something gets its name', () => {
    for (const path of [
      'createWorkspace/name',
      'updateWorkspace/name',
      'createKey/name',
      'createKey/limits/label',
      'changeMyName/name',
      'registerPasskey/name',
      'renameChannel/name',
      'createChannelGroup/name',
      'createTemplate/name',
      'createPost/labels/[]',
      'createPosts/posts/[]/labels/[]',
      'createSeries/labels/[]',
      'createEndpoint/description',
      'wordpress/title',
      'youtube/title',
    ])
      expect(fieldPaths(lines)).toContain(path)
  })

  test.each(fieldPaths(lines))('%s refuses what is no line, and says why', (path) => {
    const { schema } = lines.find((field) => field.path === path) as Field
    const passes = compileSchema(schema)
    for (const [text, why] of [
      ['a\nb.c', 'holds a line break (U+000A)'],
      ['a\u0007b.c', 'holds a control character (U+0007)'],
      ['a\u202eb.c', 'holds an invisible character that changes the direction of writing (U+202E)'],
      ['\u3164', 'has only spaces or invisible characters'],
    ] as const) {
      expect(passes(text)).toBe(false)
      // Without its pattern, which is told first.
      const bare = { type: 'string', format: schema['format'] }
      expect(explain(bare, text, 'body')[0]?.detail).toContain(why)
    }
  })
})
