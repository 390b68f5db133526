import { expect, test } from 'vitest'
import { anImage, aWork } from '../../../test/rigs/engine-rig.ts'
import { callKey } from './call-key.ts'
import type { WorkPart } from '../queue/work.ts'

const [first, second] = aWork(['Hello', 'Hello']).parts
const withMedia: WorkPart = { ...first!, media: [anImage] }

test('all calls for a part as it is written carry one key', () => {
  const work = aWork(['Hello', 'Next'])
  const key = callKey(work, work.parts[0]!)
  expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  const later = aWork(['Hello', 'Next'], { fence: 7, tries: 3, settings: {}, upload: null })
  expect(callKey(later, later.parts[0]!)).toBe(key)
})

test('whatever else is sent has another key', () => {
  const work = aWork(['Hello', 'Hello'])
  const out = { ...work, parts: [{ ...first!, remoteId: '1' }, second!] }
  const keys = [
    callKey(work, first!),
    callKey(work, second!),
    callKey(out, second!),
    callKey(out, { ...second!, firstComment: true }),
    callKey(work, { ...first!, text: 'Hello!' }),
    callKey(work, withMedia),
    callKey(work, { ...first!, media: [{ ...anImage, altText: 'A bird' }] }),
    callKey(aWork(['Hello'], { settings: { visibility: 'private' } }), first!),
    callKey(aWork(['Hello'], { destinationId: 'another' }), first!),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})
