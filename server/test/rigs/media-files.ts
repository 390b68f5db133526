import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  MovOutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny'
import sharp from 'sharp'

/** Where the camera of `aPhoto` stood, and what it was: must never be found again. */
export const SECRETS = ['SecretCam 3000', 'do not show this'] as const

const red = { create: { width: 60, height: 40, channels: 3, background: '#c22' } } as const

/** A JPEG of 60 × 40 pixels that is to be shown turned by 90°, with a place, a camera and a comment in its EXIF. */
export async function aPhoto(width = 60, height = 40): Promise<Buffer> {
  const exif = {
    IFD0: { Make: SECRETS[0], ImageDescription: SECRETS[1] },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
  }
  const image = sharp({ ...red, create: { ...red.create, width, height } })
  return image.withExif(exif).withMetadata({ orientation: 6, exif }).jpeg().toBuffer()
}

export async function anAnimation(format: 'gif' | 'webp', frames = 3): Promise<Buffer> {
  const colours = Array.from({ length: frames }, (_, n) => ['#f00', '#0f0', '#00f'][n % 3] ?? '#fff')
  const drawn = await Promise.all(
    colours.map((background) =>
      sharp({ create: { ...red.create, background } })
        .png()
        .toBuffer(),
    ),
  )
  const joined = sharp(drawn, { join: { animated: true } })
  return format === 'gif'
    ? joined.gif({ delay: 100, loop: 0 }).toBuffer()
    : joined.webp({ delay: 100 }).toBuffer()
}

/** A file of each type that is taken, small and whole. */
export async function everyType(): Promise<Record<string, Buffer>> {
  return {
    'image/jpeg': await aPhoto(),
    'image/png': await sharp(red).png().toBuffer(),
    'image/webp': await sharp(red).webp().toBuffer(),
    'image/gif': await anAnimation('gif'),
    'image/avif': await sharp(red).avif({ effort: 0 }).toBuffer(),
    'video/mp4': await aVideo(new Mp4OutputFormat()),
    'video/quicktime': await aVideo(new MovOutputFormat()),
    'video/webm': await aVideo(new WebMOutputFormat()),
    'audio/mpeg': anMp3(),
    'audio/mp4': await sound(new Mp4OutputFormat(), 'aac', M4A_BRAND),
    'audio/wav': aWave(),
    'audio/ogg': await sound(new OggOutputFormat(), 'opus'),
    'application/pdf': aPdf(),
  }
}

/** Where a fifth of a second is that ffmpeg coded; its name says how. */
export function recordingAt(name: string): string {
  return join(import.meta.dirname, 'recordings', name)
}

/** A second of VP9 packets of 64 × 48 pixels; the containers are real, the pictures are not. */
export async function aVideo(format: OutputFormat = new Mp4OutputFormat(), seconds = 1): Promise<Buffer> {
  const output = new Output({ format, target: new BufferTarget() })
  const source = new EncodedVideoPacketSource('vp9')
  output.addVideoTrack(source, { frameRate: 10 })
  await output.start()
  const decoderConfig = { codec: 'vp09.00.10.08', codedWidth: 64, codedHeight: 48 }
  for (let n = 0; n < seconds * 10; n++) {
    const packet = new EncodedPacket(VP9_FRAME, n === 0 ? 'key' : 'delta', n / 10, 0.1)
    await source.add(packet, { decoderConfig })
  }
  await output.finalize()
  return Buffer.from(output.target.buffer ?? new ArrayBuffer(0))
}

const VP9_FRAME = Buffer.from('82498342000630057e00380498000000000000'.padEnd(128, '0'), 'hex')
const M4A_BRAND = Buffer.from('M4A ')

async function sound(format: OutputFormat, codec: 'aac' | 'opus', brand?: Buffer): Promise<Buffer> {
  const output = new Output({ format, target: new BufferTarget() })
  const source = new EncodedAudioPacketSource(codec)
  output.addAudioTrack(source)
  await output.start()
  const decoderConfig =
    codec === 'aac'
      ? {
          codec: 'mp4a.40.2',
          sampleRate: 44_100,
          numberOfChannels: 1,
          description: Buffer.from('1208', 'hex'),
        }
      : { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, description: OPUS_HEAD }
  for (let n = 0; n < 50; n++) {
    await source.add(new EncodedPacket(Buffer.from('f8fffe', 'hex'), 'key', n * 0.02, 0.02), {
      decoderConfig,
    })
  }
  await output.finalize()
  const bytes = Buffer.from(output.target.buffer ?? new ArrayBuffer(0))
  brand?.copy(bytes, 8)
  return bytes
}

const OPUS_HEAD = Buffer.from('4f707573486561640101380180bb0000000000', 'hex')

/** Silent frames of MPEG-1 Layer III: 128 kbit/s, 44.1 kHz. */
export function anMp3(frames = 80): Buffer {
  const frame = Buffer.alloc(417)
  frame.writeUInt32BE(0xff_fb_90_c4)
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}

/** Half a second of silence. */
export function aWave(): Buffer {
  const data = Buffer.alloc(44_100)
  return Buffer.concat([waveHead(data.length), data])
}

/** What a WAV file of so many bytes of sound begins with: 16 bits, 44.1 kHz, one channel. */
export function waveHead(bytes: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + bytes, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(44_100, 24)
  head.writeUInt32LE(88_200, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(bytes, 40)
  return head
}

export function aPdf(extra = ''): Buffer {
  const body = `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R${extra}>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n`
  const table = 'xref\n0 1\n0000000000 65535 f \ntrailer<</Size 3/Root 1 0 R>>\n'
  return Buffer.from(`${body}${table}startxref\n${body.length}\n%%EOF\n`)
}

/** A PNG of a few kilobytes that claims, and truly has, this many pixels of one colour. */
export function aBomb(width: number, height: number): Buffer {
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 })
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', Buffer.concat([uint32(width), uint32(height), Buffer.from('0100000000', 'hex')])),
    pngChunk('IDAT', rows),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data])
  return Buffer.concat([uint32(data.length), typed, uint32(crc32(typed))])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0)
  }
  return ~crc
}
