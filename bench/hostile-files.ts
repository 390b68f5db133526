const ROWS = Array.from(
  { length: 5_000 },
  (_, n) =>
    `  - { id: r${n}, text: "Post ${n} of the file: https://example.com/${n}", publishAt: 2027-12-01T09:00 }`,
)

/** What is sent again and again, as it takes the server the longest; the last is a fair file. */
export const ATTACKS: readonly (readonly [string, 'plan' | 'csv', string])[] = [
  ['a plan of 5.9 MB of `[`', 'plan', '['.repeat(5_900_000)],
  ['a plan with as many values as there may be', 'plan', `plan: p\nposts: [${'1,'.repeat(290_000)}]`],
  ['a table of parts', 'csv', `text,thread\nA,"${'---\n'.repeat(900_000)}"`],
  ['a table of commas', 'csv', `text\nA${','.repeat(900_000)}`],
  ['a plan of 5,000 posts, as a dry run', 'plan', `plan: p\nposts:\n${ROWS.join('\n')}\n`],
]
