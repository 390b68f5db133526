import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { aWave, recordingAt } from '../../test/rigs/media-files.ts'
import { probeRecording } from './recordings.ts'

const folder = mkdtempSync(join(tmpdir(), 'postrider-recordings-'))
afterAll(() => rmSync(folder, { recursive: true }))
// The reader tells the console of codecs that it has no name for; a media worker has none.
vi.spyOn(console, 'warn').mockImplementation(() => undefined)

/** The codecs of a file in which one name of a codec stands for another. */
async function codecsWith(name: string, from: string, to: string) {
  const bytes = readFileSync(recordingAt(name))
  bytes.write(to, bytes.indexOf(from), 'latin1')
  const path = join(folder, 'changed.mp4')
  writeFileSync(path, bytes)
  const { videoCodec, audioCodec } = await probeRecording(path)
  return [videoCodec, audioCodec]
}

describe('the codecs of files that ffmpeg made are read', () => {
  test.each([
    ['h264-aac.mp4', 'video/mp4', 'h264', 'aac'],
    ['h264-aac-front.mp4', 'video/mp4', 'h264', 'aac'],
    ['h264-aac-fragmented.mp4', 'video/mp4', 'h264', 'aac'],
    ['h264-ac3.mp4', 'video/mp4', 'h264', 'ac3'],
    ['h264-alac.mp4', 'video/mp4', 'h264', 'alac'],
    ['hevc-aac.mp4', 'video/mp4', 'hevc', 'aac'],
    ['vp9-opus.mp4', 'video/mp4', 'vp9', 'opus'],
    ['vp9-opus.webm', 'video/webm', 'vp9', 'opus'],
    ['av1.mp4', 'video/mp4', 'av1', null],
    ['mpeg4.mp4', 'video/mp4', 'mpeg4', 'aac'],
    ['mjpeg.mov', 'video/quicktime', 'mjpeg', null],
  ])('%s', async (name, contentType, videoCodec, audioCodec) => {
    expect(await probeRecording(recordingAt(name))).toMatchObject({ contentType, videoCodec, audioCodec })
  })

  test('the index of a recording may stand at either end', () => {
    const places = ['h264-aac.mp4', 'h264-aac-front.mp4'].map((name) => {
      const bytes = readFileSync(recordingAt(name))
      return bytes.indexOf('moov') < bytes.indexOf('mdat')
    })
    expect(places).toEqual([false, true])
  })
})

describe('so are their frame rate and their sound', () => {
  test.each([
    ['rate-23.976.mp4', 23.976, null, null],
    ['rate-120-surround.mov', 120, 6, 96_000],
    ['rate-12.5.webm', 12.5, null, null],
    // Its last frames are seen longer than the first ones: on the average.
    ['rate-varies.mp4', 20, null, null],
    ['h264-aac.mp4', 10, 1, 48_000],
    // Each last frame of a fragment is a little longer there.
    ['h264-aac-fragmented.mp4', 9.034, 1, 48_000],
  ])('%s', async (name, frameRate, audioChannels, audioSampleRate) => {
    const read = await probeRecording(recordingAt(name))
    expect(read).toMatchObject({ frameRate, audioChannels, audioSampleRate })
  })

  test('a single frame has no rate, and sound alone has none', async () => {
    const path = join(folder, 'single.mp4')
    const bytes = readFileSync(recordingAt('h264-aac.mp4'))
    // The first time-to-sample box is that of the picture: two frames become one.
    const at = bytes.indexOf('stts')
    expect(bytes.readUInt32BE(at + 12)).toBe(2)
    for (const box of ['stts', 'stsz', 'stsc']) expect(bytes.indexOf(box)).toBeGreaterThan(0)
    bytes.writeUInt32BE(1, at + 12)
    bytes.writeUInt32BE(1, bytes.indexOf('stsz') + 12)
    writeFileSync(path, bytes)
    expect(await probeRecording(path)).toMatchObject({ frameRate: null })
    writeFileSync(path, aWave())
    expect(await probeRecording(path)).toMatchObject({ frameRate: null, audioChannels: 1 })
  })
})

test('other names of a codec are known, and what stands in a file is never taken over', async () => {
  expect(await codecsWith('h264-aac.mp4', 'avc1\0\0', 'avc3')).toEqual(['h264', 'aac'])
  expect(await codecsWith('hevc-aac.mp4', 'hvc1\0\0', 'dvh1')).toEqual(['hevc', 'aac'])
  expect(await codecsWith('mpeg4.mp4', 'mp4v\0\0', 'apch')).toEqual(['prores', 'aac'])
  expect(await codecsWith('mpeg4.mp4', 'mp4v\0\0', '<a>\n')).toEqual([null, 'aac'])
  expect(await codecsWith('h264-alac.mp4', 'alac\0\0', "';--")).toEqual(['h264', null])
})
