import Type, { type TProperties } from 'typebox'

export { line } from '@postrider/contract'

/** What an author may set for a network: these and no others. */
export function settingsOf<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

/** For networks that show animations as stills (check-media.ts): the author's yes to that. */
export const stillImages = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Whether an animation may be published as a still.',
  }),
)

/** A setting that is on or off. */
export function flag(preset: boolean, description: string) {
  return Type.Optional(Type.Boolean({ default: preset, description }))
}
