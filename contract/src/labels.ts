import Type from 'typebox'
import { line } from './schemas.ts'

const MOST_CHARACTERS = 50

export const Label = line(MOST_CHARACTERS, {
  description: 'Such as the name of a campaign. Case-insensitive.',
  examples: ['Spring sale'],
})

/** A label that is there already, whatever it holds. */
export const KnownLabel = Type.String({ minLength: 1, maxLength: MOST_CHARACTERS })

/** Of a list: posts with this label. */
export const LabelFilter = Type.String({
  ...KnownLabel,
  description: 'Only posts that have this label now.',
})

/** How many labels a post may have. */
export const MOST_LABELS = 20

export const Labels = Type.Array(Label, {
  maxItems: MOST_LABELS,
  description: 'Never published.',
})
