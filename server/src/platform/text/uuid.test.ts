import { afterEach, expect, test, vi } from 'vitest'
import { isUuid, uuidv7 } from './uuid.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const timeIn = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

test('an id says its version and its time', () => {
  const before = Date.now()
  const id = uuidv7()

  expect(isUuid(id)).toBe(true)
  expect(id[14]).toBe('7')
  expect('89ab').toContain(id[19])
  expect(timeIn(id)).toBeGreaterThanOrEqual(before)
})

test('each id is greater than the one before, also of one millisecond and when the clock is set back', () => {
  const now = Date.now() + 1_000
  const clock = vi.spyOn(Date, 'now')
  const ids = [now, now, now - 5_000, now + 1, now].flatMap((time) => {
    clock.mockReturnValue(time)
    return Array.from({ length: 2_000 }, uuidv7)
  })

  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
})
