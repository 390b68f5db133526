import { expect, test } from 'vitest'
import type { Post } from './api.ts'
import { conflictsOf } from './edit.ts'

const content = { text: 'Hello', mediaIds: [], thread: [], firstComment: { text: 'Look' }, tagLinks: false }

test.each([
  ['text', 'Other'],
  ['mediaIds', ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11']],
  ['thread', [{ text: 'More' }]],
  ['firstComment', { text: 'Another' }],
  ['tagLinks', true],
] as const)('an edit of `%s` is not repeated over what somebody else made of it', (field, other) => {
  const [before, now] = [content, { ...content, [field]: other }].map(
    (each) => ({ content: each, destinations: [] }) as unknown as Post,
  ) as [Post, Post]
  expect(conflictsOf({ [field]: content[field] }, before, now)).toEqual([field])
  expect(conflictsOf({ [field]: content[field] }, before, before)).toEqual([])
})
