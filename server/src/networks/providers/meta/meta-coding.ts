/**
 * How Instagram and Threads want videos coded, reels, stories and carousels alike
 * (https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media,
 * https://developers.facebook.com/documentation/threads/posts#media-specifications). Their bit rates are not read from files.
 */
export const META_CODING = {
  videoCodecs: ['h264', 'hevc'],
  audioCodecs: ['aac'],
  minFrameRate: 23,
  maxFrameRate: 60,
  maxAudioChannels: 2,
  maxAudioSampleRate: 48_000,
}
