import { expect, test } from 'vitest'
import { emptyDraft, write } from '../composer/draft.ts'
import { draftOfTemplate, fieldsOf, missingOf, templateOf, withTemplate } from './template-content.ts'

const template = {
  text: '{{product}} {{ version }} is out',
  mediaIds: ['m'],
  thread: [{ text: 'What is new in {{version}}' }],
  firstComment: { text: 'https://example.com/{{version}}' },
  channelIds: ['g', 'b', 'gone'],
  labels: ['Release'],
}
const values = { product: 'Postrider', version: '{{product}} 2' }
const places = { groups: [{ groupId: 'g', channelIds: ['a', 'b'] }], channelIds: ['a', 'b', 'c'] }

test('what is edited is stored as it was', () => {
  expect(templateOf(' Release ', draftOfTemplate(template))).toEqual({ name: 'Release', ...template })
  expect(templateOf('Short', write(emptyDraft(), null, { parts: [{ text: 'Hi', mediaIds: [] }] }))).toEqual({
    name: 'Short',
    text: 'Hi',
  })
  expect(fieldsOf(draftOfTemplate(template).shared)).toEqual(['product', 'version'])
})

test('a draft gets its texts filled, its channels without those that are gone, and its labels beside its own', () => {
  const apart = write(emptyDraft(['c']), 'c', { parts: [{ text: 'Own', mediaIds: [] }] })
  const draft = withTemplate({ ...apart, labels: ['Mine', 'Release'] }, template, values, places)
  expect(draft).toMatchObject({ channelIds: ['a', 'b'], labels: ['Mine', 'Release'], variants: {} })
  // What a value says is no field.
  expect(draft.shared).toEqual({
    parts: [
      { text: 'Postrider {{product}} 2 is out', mediaIds: ['m'] },
      { text: 'What is new in {{product}} 2', mediaIds: [] },
    ],
    firstComment: 'https://example.com/{{product}} 2',
  })
})

test('channels that are chosen stay where the template names none that is left', () => {
  const chosen = { ...template, channelIds: ['gone'], labels: [] }
  const draft = withTemplate(emptyDraft(['c']), chosen, values, places)
  expect(draft.channelIds).toEqual(['c'])
  expect(draft).not.toHaveProperty('labels')
})

test('what is missing of a template is said', () => {
  const saying = (text: string) => write(emptyDraft(), null, { parts: [{ text, mediaIds: [] }] })
  expect(missingOf(' ', saying('x'))).toBe('name')
  expect(missingOf('Name', saying(' '))).toBe('content')
  expect(missingOf('Name', saying('{{ a'))).toBe('field')
  expect(missingOf('Name', saying('{{a}}'))).toBe(null)
})
