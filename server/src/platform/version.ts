import { readFileSync } from 'node:fs'
import Type from 'typebox'
import { Parse } from 'typebox/value'

const Manifest = Type.Object({ version: Type.String() })

/** The release that runs, as its package says. */
export const { version } = Parse(
  Manifest,
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
)
