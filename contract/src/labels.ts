import Type from 'typebox'

export const Label = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '^[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$',
  description: 'A label of posts, such as the name of a campaign. Compared without case.',
  examples: ['Spring sale'],
})

/** Of a list: posts with this label. */
export const LabelFilter = Type.String({
  ...Label,
  description: 'Only what belongs to posts that have this label now.',
})

/** How many labels a post may have. */
export const MOST_LABELS = 20

export const Labels = Type.Array(Label, {
  maxItems: MOST_LABELS,
  description: 'What the post is found by, besides its text. Labels are not published.',
})
