import Type from 'typebox'

export const Label = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '^[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$',
  description: 'Such as the name of a campaign. Case-insensitive.',
  examples: ['Spring sale'],
})

/** Of a list: posts with this label. */
export const LabelFilter = Type.String({
  ...Label,
  description: 'Only posts that have this label now.',
})

/** How many labels a post may have. */
export const MOST_LABELS = 20

export const Labels = Type.Array(Label, {
  maxItems: MOST_LABELS,
  description: 'Never published.',
})
