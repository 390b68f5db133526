import type { MediaSource } from '../../src/engine/publication/engine-port.ts'

/** For engines whose posts carry no media. */
export const noMedia: MediaSource = {
  prepare: () => Promise.reject(new Error('the posts of this test carry no media')),
}
