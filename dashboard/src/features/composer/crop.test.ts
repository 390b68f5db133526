import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cropOf, ratios } from './crop.ts'

test('a crop lies within the picture, and has the ratio that was asked for', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true })
  const side = fc.integer({ min: 1, max: 9_000 })
  const zoom = fc.double({ min: 1, max: 4, noNaN: true })
  fc.assert(
    fc.property(
      side,
      side,
      fc.constantFrom(...ratios),
      zoom,
      unit,
      unit,
      (width, height, ratio, by, across, down) => {
        const kept = cropOf({ width, height }, { ratio, zoom: by, across, down })
        expect(kept.left).toBeGreaterThanOrEqual(0)
        expect(kept.top).toBeGreaterThanOrEqual(0)
        expect(kept.left + kept.width).toBeLessThanOrEqual(width)
        expect(kept.top + kept.height).toBeLessThanOrEqual(height)
        // Within the half pixels that both sides are rounded by.
        const wanted = ratio[0] / ratio[1]
        if (kept.width > 1 && kept.height > 1)
          expect(Math.abs(kept.width - kept.height * wanted)).toBeLessThanOrEqual(0.51 + 0.51 * wanted)
      },
    ),
  )
})
