import { rm } from 'node:fs/promises'
import sharp, { type Metadata, type Sharp } from 'sharp'
import { FileRejected } from './file-rejected.ts'
import type { Image, ImageBounds, JobOf } from './media-job.ts'

/*
 * Runs in a media worker only. Every image that is stored was encoded here, from pixels: whatever else its file held
 * (places, thumbnails, comments, a second file behind the end) is gone, because nothing but pixels is carried over.
 */

// Of the many formats that the library reads, those that are taken; SVG and its like are never looked at.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}`),
})
sharp.cache(false)
sharp.concurrency(1)

const SECONDS = 40
/** An animation may have this many times the pixels of a still, over all its frames. */
const ANIMATION_FACTOR = 4
const MAX_FRAMES = 2_000

/** Decodes an image whole and re-encodes it. Throws FileRejected, or whatever the decoder throws. */
export async function cleanImage({ from, to, contentType, maxPixels }: JobOf<'clean'>): Promise<Image> {
  const facts = await sharp(from, { limitInputPixels: false }).metadata()
  rejectLarge(facts, maxPixels)
  const animated = (facts.pages ?? 1) > 1 && contentType !== 'image/avif'
  const source = sharp(from, {
    animated,
    limitInputPixels: maxPixels * (animated ? ANIMATION_FACTOR : 1),
    failOn: 'error',
  })
  // An animation has no orientation; turning its strip of frames would tear it.
  const upright = animated ? source : source.autoOrient()
  return write(encode(upright, contentType, { chroma: facts.chromaSubsampling }), to, contentType)
}

/** Cuts a still to the proportions, as large as it can be, around the middle. Throws FileRejected. */
export async function cropImage({ from, to, contentType, maxPixels, ratio }: JobOf<'crop'>): Promise<Image> {
  const facts = await sharp(from, { limitInputPixels: false }).metadata()
  rejectLarge(facts, maxPixels)
  const { width, height } = facts.autoOrient
  const [across, down] = ratio
  const w = Math.max(1, Math.min(width, Math.round((height * across) / down)))
  const h = Math.max(1, Math.min(height, Math.round((width * down) / across)))
  const cut = { left: Math.floor((width - w) / 2), top: Math.floor((height - h) / 2), width: w, height: h }
  const upright = sharp(from, { limitInputPixels: maxPixels, failOn: 'error' }).autoOrient()
  return write(
    encode(upright.extract(cut), contentType, { chroma: facts.chromaSubsampling }),
    to,
    contentType,
  )
}

/** Makes a copy at most `width` wide, in the same type. */
export async function resizeImage({ from, to, contentType, width }: JobOf<'resize'>): Promise<Image> {
  const source = sharp(from, { animated: true, limitInputPixels: false })
  const small = source.resize({ width, withoutEnlargement: true })
  return write(encode(small, contentType, { quality: 82 }), to, contentType)
}

const QUALITIES = [92, 85, 75] as const
const SCALE_STEP = 0.8
const MAX_TRIES = 12

/**
 * Makes a copy that keeps within bounds: first smaller where it is too wide or too high, then in lower quality, then
 * smaller and smaller. Always the whole picture. An animation becomes a still, its first frame, only for bounds without a type that
 * moves.
 */
export async function fitImage({ from, to, contentType, bounds }: JobOf<'fit'>): Promise<Image> {
  const facts = await sharp(from, { limitInputPixels: false }).metadata()
  const animated = (facts.pages ?? 1) > 1 && bounds.contentTypes.some((type) => MOVING.includes(type))
  const target = targetType(contentType, { animated, alpha: facts.hasAlpha }, bounds)
  const height = facts.pageHeight ?? facts.height
  let scale = scaleInto({ width: facts.width, height }, bounds)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const quality = QUALITIES[Math.min(tries, QUALITIES.length - 1)]
    const lossless = target === 'image/png' || target === 'image/gif'
    if (tries > 0 && (lossless || tries >= QUALITIES.length)) scale *= SCALE_STEP
    const source = sharp(from, { animated, limitInputPixels: false })
    const flat =
      facts.hasAlpha && target === 'image/jpeg' ? source.flatten({ background: '#ffffff' }) : source
    // Both are named: what is thinner than one pixel when scaled would keep its length otherwise.
    const scaled =
      scale === 1
        ? flat
        : flat.resize({ ...scaledBy(scale, { width: facts.width, height }, bounds), fit: 'fill' })
    const made = await write(encode(scaled, target, { quality }), to, target)
    if (made.size <= bounds.maxBytes) return made
    await rm(to, { force: true })
  }
  throw new FileRejected("It can't be made small enough for the network.")
}

type Size = { readonly width: number; readonly height: number }
type Box = { readonly maxWidth: number | null; readonly maxHeight: number | null }

/** By how much a picture is scaled to fit: 1 where it does. */
function scaleInto({ width, height }: Size, { maxWidth, maxHeight }: Box): number {
  return Math.min(1, (maxWidth ?? Infinity) / width, (maxHeight ?? Infinity) / height)
}

/** The nearest whole pixels within the box: cut off, a long picture would become too thin for a bound of its ratio. */
function scaledBy(scale: number, { width, height }: Size, { maxWidth, maxHeight }: Box): Size {
  const scaled = (pixels: number, most: number | null) =>
    Math.min(most ?? Infinity, Math.max(1, Math.round(pixels * scale)))
  return { width: scaled(width, maxWidth), height: scaled(height, maxHeight) }
}

/** The size that a picture has once it is made to fit, where its bytes do not ask for less. */
export function fittedSize(size: Size, box: Box): Size {
  const scale = scaleInto(size, box)
  return scale === 1 ? size : scaledBy(scale, size, box)
}

const MOVING: readonly string[] = ['image/webp', 'image/gif']

/** Keeps the type where it may; otherwise the one that loses least. */
function targetType(
  own: string,
  { animated, alpha }: { animated: boolean; alpha: boolean },
  { contentTypes }: ImageBounds,
): string {
  if (contentTypes.includes(own)) return own
  const candidates = animated
    ? MOVING
    : alpha
      ? ['image/png', 'image/webp', 'image/jpeg']
      : ['image/jpeg', 'image/png', 'image/webp']
  const target = candidates.find((type) => contentTypes.includes(type))
  if (target === undefined) throw new FileRejected('The network takes no type that this image can become.')
  return target
}

function rejectLarge({ width, height, pageHeight, pages = 1 }: Metadata, maxPixels: number): void {
  const tall = pageHeight ?? height
  if (pages > MAX_FRAMES)
    throw new FileRejected(`The animation has ${pages} frames; up to ${MAX_FRAMES} are allowed.`)
  const [pixels, most, what] =
    pages > 1
      ? [
          width * tall * pages,
          maxPixels * ANIMATION_FACTOR,
          `the animation has ${width} × ${tall} × ${pages}`,
        ]
      : [width * tall, maxPixels, `the image has ${width} × ${tall}`]
  if (pixels <= most) return
  throw new FileRejected(
    `${upperFirst(what)} pixels. Up to ${most / 1_000_000} million are allowed. Make it smaller.`,
  )
}

type Encoding = { quality?: number | undefined; chroma?: string | undefined }

/** Nothing asks for metadata, and so nothing of it is written; colours become sRGB. */
function encode(image: Sharp, contentType: string, { quality = 92, chroma }: Encoding): Sharp {
  const timed = image.timeout({ seconds: SECONDS })
  switch (contentType) {
    case 'image/jpeg':
      return timed.jpeg({ quality, chromaSubsampling: chroma === '4:4:4' ? '4:4:4' : '4:2:0' })
    case 'image/png':
      return timed.png({ compressionLevel: 6 })
    case 'image/webp':
      return timed.webp({ quality, effort: 2 })
    case 'image/gif':
      return timed.gif({ effort: 3 })
    case 'image/avif':
      return timed.avif({ quality: Math.min(quality, 75), effort: 1 })
    default:
      throw new Error(`images are not written as ${contentType}`)
  }
}

async function write(image: Sharp, to: string, contentType: string): Promise<Image> {
  const { size, width, height, pageHeight, pages = 1 } = await image.toFile(to)
  return { contentType, size, width, height: pageHeight ?? height, animated: pages > 1 }
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
