import type { MediaItem } from '@postrider/contract'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { addressOf } from '../../api/address.ts'
import { readAnew } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { whenServed } from '../../ui/picture.tsx'
import { Loading, Notice, ProblemNotice } from '../../ui/states.tsx'
import { nameOfRatio } from '../preview/shown-ratio.ts'
import { type Cut, cropOf, ratios } from './crop.ts'
import styles from './crop.module.css'
import { uploadFile } from './upload-file.ts'
import { words } from './words.ts'

type CropDialogProps = {
  item: MediaItem
  /** The ratio to begin with. */
  ratio: readonly [number, number]
  onDone: (mediaId: string) => void
  onClose: () => void
}

const MOST_ZOOM = 3
/** Types that browsers write; everything else becomes a JPEG. */
const WRITTEN = ['image/jpeg', 'image/png', 'image/webp']
const QUALITY = 0.92

/** Cuts a picture to a ratio, in this browser; the piece is uploaded as a file of its own. */
export function CropDialog({ item, ratio, onDone, onClose }: CropDialogProps) {
  const { workspaceId } = useSession().workspace
  const picture = usePicture(item.mediaId)
  const [cut, setCut] = useState<Cut>({ ratio, zoom: 1, across: 0.5, down: 0.5 })
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const save = useMutation({
    mutationFn: async (image: HTMLImageElement) => {
      const file = await cutOut(image, cut, item.contentType)
      return uploadFile(workspaceId, { file, altText: item.altText ?? '', idempotencyKey })
    },
    onSuccess: async ({ mediaId }) => {
      await readAnew({ queryKey: ['findMedia'] })
      onDone(mediaId)
    },
  })
  return (
    <Dialog title={words.media.cropTitle} wide onClose={onClose}>
      <p>{words.media.cropLead}</p>
      {picture === 'loading' ? <Loading lines={4} /> : null}
      {picture === 'unread' ? (
        <Notice tone="red">
          <p>{words.media.cropUnread}</p>
        </Notice>
      ) : null}
      {typeof picture === 'string' ? null : <Piece image={picture} cut={cut} />}
      <Controls cut={cut} onChange={setCut} />
      {save.isError ? <ProblemNotice error={save.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>{words.media.cancel}</Button>
        <Button
          variant="primary"
          busy={save.isPending}
          disabled={typeof picture === 'string'}
          onClick={() => (typeof picture === 'string' ? undefined : save.mutate(picture))}
        >
          {words.media.cropSave}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Controls({ cut, onChange }: { cut: Cut; onChange: (cut: Cut) => void }) {
  return (
    <div className={styles.controls}>
      <label>
        {words.media.ratio}
        <select
          value={nameOfRatio(cut.ratio)}
          onChange={({ target }) =>
            onChange({ ...cut, ratio: ratios.find((one) => nameOfRatio(one) === target.value) ?? cut.ratio })
          }
        >
          {ratios.map((one) => (
            <option key={nameOfRatio(one)}>{nameOfRatio(one)}</option>
          ))}
        </select>
      </label>
      <Slider
        label={words.media.zoom}
        value={(cut.zoom - 1) / (MOST_ZOOM - 1)}
        onChange={(zoom) => onChange({ ...cut, zoom: 1 + zoom * (MOST_ZOOM - 1) })}
      />
      <Slider
        label={words.media.across}
        value={cut.across}
        onChange={(across) => onChange({ ...cut, across })}
      />
      <Slider label={words.media.down} value={cut.down} onChange={(down) => onChange({ ...cut, down })} />
    </div>
  )
}

type SliderProps = { label: string; value: number; onChange: (value: number) => void }

/** From 0 to 1. */
function Slider({ label, value, onChange }: SliderProps) {
  return (
    <label>
      {label}
      <input
        type="range"
        min={0}
        max={100}
        value={Math.round(value * 100)}
        onChange={({ target }) => onChange(target.valueAsNumber / 100)}
      />
    </label>
  )
}

const PREVIEW_WIDTH = 480
const PREVIEW_HEIGHT = 300

/** What is kept, as large as the dialog has room for. */
function Piece({ image, cut }: { image: HTMLImageElement; cut: Cut }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { left, top, width, height } = cropOf(sizeOf(image), cut)
  const scale = Math.min(PREVIEW_WIDTH / width, PREVIEW_HEIGHT / height)
  const shown = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  }
  useEffect(() => {
    const target = canvas.current?.getContext('2d')
    target?.drawImage(image, left, top, width, height, 0, 0, shown.width, shown.height)
  })
  return <canvas ref={canvas} className={styles.piece} {...shown} aria-hidden />
}

const sizeOf = ({ naturalWidth: width, naturalHeight: height }: HTMLImageElement) => ({ width, height })

async function cutOut(image: HTMLImageElement, cut: Cut, contentType: string): Promise<File> {
  const { left, top, width, height } = cropOf(sizeOf(image), cut)
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  canvas.getContext('2d')?.drawImage(image, left, top, width, height, 0, 0, width, height)
  const type = WRITTEN.find((one) => one === contentType) ?? 'image/jpeg'
  const { promise, resolve } = Promise.withResolvers<Blob | null>()
  canvas.toBlob(resolve, type, QUALITY)
  const blob = await promise
  if (blob === null) throw new Error('the picture was not written')
  return new File([blob], 'cropped', { type })
}

/** The whole picture of a media item. */
function usePicture(mediaId: string): HTMLImageElement | 'loading' | 'unread' {
  const { workspaceId } = useSession().workspace
  const [picture, setPicture] = useState<HTMLImageElement | 'loading' | 'unread'>('loading')
  useEffect(() => {
    const ended = new AbortController()
    const image = new Image()
    const src = addressOf('appReadMediaContent', { params: { workspaceId, mediaId }, query: {} })
    image.addEventListener('load', () => setPicture(image))
    image.addEventListener('error', () => {
      void whenServed(src, ended.signal).then((served) => {
        if (served === 'later') image.src = src
        else if (!ended.signal.aborted) setPicture('unread')
      })
    })
    image.src = src
    return () => {
      ended.abort()
      image.src = ''
    }
  }, [workspaceId, mediaId])
  return picture
}
