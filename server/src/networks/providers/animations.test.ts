import { describe, expect, test } from 'vitest'
import { NO_CODING } from '../../../test/rigs/publish-work.ts'
import { type MediaFacts, mediaIssues } from './port/check-media.ts'
import { typesOfAnimation } from './port/port.ts'
import { providers } from './registry.ts'

/* An animation stays one, or the author has said yes to a still: at every network, with either type of animation. */

describe.each([...providers])('%s', (_, provider) => {
  const images = provider.limits.media.kinds.find(({ kind }) => kind === 'image')
  const altText = provider.limits.media.maxAltCharacters === 0 ? null : 'Words'

  test.each(['image/gif', 'image/webp'])('%s', (contentType) => {
    const animation: MediaFacts = {
      ...NO_CODING,
      kind: 'image',
      contentType,
      sizeBytes: 100_000,
      width: 1_000,
      height: 1_000,
      durationMs: null,
      animated: true,
      altText,
    }
    const issues = (settings: object) =>
      mediaIssues([animation], { ...provider, settings: settings as Record<string, unknown> })
        .map(({ code, severity }) => `${severity} ${code}`)
        .filter((one) => one !== 'warning media_converted')
    if (images === undefined) throw new Error('this network takes no images')
    const types = typesOfAnimation(images)
    if (images.animatedTypes?.length === 0) {
      expect(issues({})).toEqual(['error media_animation_lost'])
      expect(issues({ stillImages: true })).toEqual(['warning media_animation_lost'])
      expect(provider.settings).toHaveProperty('properties.stillImages')
      expect(types.every((type) => ['image/jpeg', 'image/png'].includes(type))).toBe(true)
    } else {
      expect(issues({})).toEqual([])
      expect(types).toEqual(images.animatedTypes)
    }
    expect(types.length).toBeGreaterThan(0)
  })
})
