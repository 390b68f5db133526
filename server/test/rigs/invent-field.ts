import { registerHooks } from 'node:module'
import { join } from 'node:path'

const READER = join(import.meta.dirname, 'inventive-file-reader.ts')

/** Where the table and the schemas of fields get one more. The process that reads files has to load them so, too. */
const places: readonly { file: string; text: string; becomes: (text: string) => string }[] = [
  {
    file: '/contract/src/content-fields.ts',
    text: '  settings: {\n    of:',
    becomes: (text) => `  mood: {
    of: 'content',
    none: null,
    approved: true,
    plan: { key: 'mood', schema: { type: 'object', description: 'What it feels like.' } },
    option: { name: 'mood', value: '<json>', says: 'What it feels like.', removes: 'Remove the mood.' },
    tool: { schema: { type: 'object' } },
    n8n: { displayName: 'Mood', type: 'json', default: '{}' },
    words: { en: 'mood', de: 'Stimmung' },
  },
${text}`,
  },
  {
    file: '/contract/src/content.ts',
    text: '  settings: Settings,\n',
    becomes: (text) => `  mood: exact({ name: Type.String(), strong: Type.Optional(Type.Boolean()) }),
${text}`,
  },
  {
    file: '/server/src/content/imports/file-reader.ts',
    text: "programFile('file-reader')",
    becomes: () => JSON.stringify(READER),
  },
]

/** From now on this process has a field `mood` in the contents of posts: a row in the table, and its schema. Nothing else. */
export function inventField(): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const place = places.find(({ file }) => url.endsWith(file))
      if (place === undefined) return loaded
      const bytes = loaded.source ?? ''
      const source = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)
      const around = source.split(place.text)
      if (around.length !== 2) throw new Error(`${place.file} has not one place for a field`)
      return { ...loaded, source: around.join(place.becomes(place.text)) }
    },
  })
}
