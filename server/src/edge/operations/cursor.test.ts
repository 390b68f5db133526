import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cursors } from './cursor.ts'

const key = Buffer.alloc(32, 7)
const position = fc.oneof(
  fc.record({ at: fc.string(), id: fc.uuid() }),
  fc.array(fc.string(), { minLength: 1 }),
  fc.integer(),
)
const scope = fc.array(fc.string(), { maxLength: 4 })

describe('cursors', () => {
  test('come back as they were issued', () => {
    fc.assert(
      fc.property(scope, position, (within, at) => {
        const { issue, read } = cursors(key)
        const cursor = issue(within, at)
        expect(cursor).toMatch(/^[\w-]+$/)
        expect(read(cursor, within)).toEqual(at)
      }),
    )
  })

  test('are worth nothing in another scope or under another key', () => {
    fc.assert(
      fc.property(scope, scope, position, (within, elsewhere, at) => {
        fc.pre(JSON.stringify(within) !== JSON.stringify(elsewhere))
        const cursor = cursors(key).issue(within, at)
        expect(cursors(key).read(cursor, elsewhere)).toBeNull()
        expect(cursors(Buffer.alloc(32, 8)).read(cursor, within)).toBeNull()
      }),
    )
    const joined = cursors(key).issue(['a', 'bc'], 1)
    expect(cursors(key).read(joined, ['ab', 'c'])).toBeNull()
  })

  test('are worth nothing with any bit changed, any character added, or any taken away', () => {
    const { issue, read } = cursors(key)
    const within = ['workspace', 'listPosts', 'all']
    const cursor = issue(within, { at: '2026-11-21T09:00:00.000Z', id: '0199c1de' })
    for (let index = 0; index < cursor.length; index++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = String.fromCharCode(cursor.charCodeAt(index) ^ (1 << bit))
        expect(read(cursor.slice(0, index) + changed + cursor.slice(index + 1), within)).toBeNull()
      }
      expect(read(cursor.slice(0, index), within)).toBeNull()
      expect(read(`${cursor.slice(0, index)} ${cursor.slice(index)}`, within)).toBeNull()
    }
    for (const more of ['=', 'A', '\n', '.']) expect(read(cursor + more, within)).toBeNull()
  })

  test('any text at all is read without a throw', () => {
    fc.assert(fc.property(fc.string(), (text) => cursors(key).read(text, []) === null))
  })

  test('a short key is refused', () => {
    expect(() => cursors(Buffer.alloc(16))).toThrow('32 bytes')
  })
})
