import { ImagePlus, Plus, Trash2 } from '../../ui/icons.ts'
import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { useMay } from '../../session.tsx'
import { LibraryDialog } from '../media/library-dialog.tsx'
import styles from './composer.module.css'
import { countCharacters } from '../preview/count-characters.ts'
import type { Count } from './counts.ts'
import {
  type DraftContent,
  type DraftPart,
  insertPart,
  removePart,
  withFirstComment,
  withPart,
} from './draft.ts'
import { MediaStrip } from './media-strip.tsx'
import { PartText } from './part-text.tsx'
import { useUploads } from './use-uploads.tsx'
import { words } from './words.ts'

type PartsEditorProps = {
  content: DraftContent
  counts: (index: number) => Count[]
  /** Whether the exact counts are on their way. */
  isChecking: boolean
  /** The networks that this goes to. */
  providers: readonly string[]
  /** Whether one of its channels takes a first comment. */
  mayComment: boolean
  onChange: (content: DraftContent) => void
}

/** The text and its follow-ups, each with its media. Who opens it types into the first; who adds a part, into that. */
export function PartsEditor(props: PartsEditorProps) {
  const { content, counts, isChecking, providers, mayComment, onChange } = props
  const { firstComment } = content
  const whole = useRef<HTMLDivElement>(null)
  const next = useRef<number | null>(null)
  useEffect(() => {
    if (next.current === null) return
    whole.current?.querySelectorAll('textarea')[next.current]?.focus()
    next.current = null
  }, [content.parts.length, firstComment === undefined])
  return (
    <div ref={whole} className={styles.parts}>
      {content.parts.map((part, index) => (
        <PartEditor
          key={index}
          {...{ part, index, isChecking, providers }}
          alone={content.parts.length === 1}
          counts={counts(index)}
          onChange={(changed) => onChange(withPart(content, index, changed))}
          onAdd={() => {
            next.current = index + 1
            onChange(insertPart(content, index))
          }}
          onRemove={() => {
            next.current = Math.max(0, index - 1)
            onChange(removePart(content, index))
          }}
        />
      ))}
      {firstComment === undefined ? (
        mayComment ? (
          <div>
            <Button
              variant="quiet"
              onClick={() => {
                next.current = content.parts.length
                onChange(withFirstComment(content, ''))
              }}
            >
              <Plus aria-hidden />
              {words.parts.addFirstComment}
            </Button>
          </div>
        ) : null
      ) : (
        <div className={styles.part}>
          <PartText
            comment
            index={content.parts.length}
            text={firstComment}
            onChange={(text) => onChange(withFirstComment(content, text))}
          />
          <div className={styles.partFoot}>
            <span className={styles.partName}>{words.parts.firstComment}</span>
            <IconButton
              label={words.parts.removeFirstComment}
              onClick={() => {
                next.current = content.parts.length - 1
                onChange(withFirstComment(content, null))
              }}
            >
              <Trash2 aria-hidden />
            </IconButton>
            <Counts {...{ isChecking }} counts={counts(content.parts.length)} text={firstComment} />
          </div>
        </div>
      )}
    </div>
  )
}

type PartEditorProps = {
  part: DraftPart
  index: number
  alone: boolean
  counts: readonly Count[]
  isChecking: boolean
  providers: readonly string[]
  onChange: (part: DraftPart) => void
  onAdd: () => void
  onRemove: () => void
}

function PartEditor(props: PartEditorProps) {
  const { part, index, alone, counts, isChecking, providers, onChange, onAdd, onRemove } = props
  const mayRead = useMay('media:read')
  const [choosing, setChoosing] = useState(false)
  const [isOver, setIsOver] = useState(false)
  const uploads = useUploads((mediaId) => add([mediaId]))
  function add(mediaIds: readonly string[]): void {
    onChange({ ...part, mediaIds: [...new Set([...part.mediaIds, ...mediaIds])] })
  }
  const take = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    if (data.files.length === 0) return
    event.preventDefault()
    uploads.take([...data.files])
  }
  return (
    <div
      className={isOver ? styles.partOver : styles.part}
      onPaste={(event) => take(event, event.clipboardData)}
      onDrop={(event) => {
        setIsOver(false)
        take(event, event.dataTransfer)
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
    >
      <PartText {...{ index }} text={part.text} onChange={(text) => onChange({ ...part, text })} />
      <MediaStrip
        {...{ providers }}
        mediaIds={part.mediaIds}
        onChange={(mediaIds) => onChange({ ...part, mediaIds })}
      />
      <div className={styles.partFoot}>
        <Button variant="quiet" onClick={() => (mayRead ? setChoosing(true) : uploads.choose())}>
          <ImagePlus aria-hidden />
          {words.parts.addMedia}
        </Button>
        <Button variant="quiet" onClick={onAdd}>
          <Plus aria-hidden />
          {words.parts.addFollowUp}
        </Button>
        {alone ? null : (
          <IconButton label={words.parts.remove} onClick={onRemove}>
            <Trash2 aria-hidden />
          </IconButton>
        )}
        <Counts {...{ counts, isChecking }} text={part.text} />
      </div>
      {uploads.element}
      {choosing ? (
        <LibraryDialog
          present={part.mediaIds}
          onUpload={() => {
            setChoosing(false)
            uploads.choose()
          }}
          onChoose={add}
          onClose={() => setChoosing(false)}
        />
      ) : null}
    </div>
  )
}

const NEAR = 0.9

function Counts({
  text,
  counts,
  isChecking,
}: { text: string } & Pick<PartEditorProps, 'counts' | 'isChecking'>) {
  return (
    <span className={styles.counts}>
      {counts.length === 0 ? (
        <span>{words.parts.noChannel(countCharacters(text, 'graphemes'))}</span>
      ) : (
        counts.map(({ name, characters, max, exact }) => (
          <span key={`${name} ${max}`} className={toneOf(characters, max)}>
            {name}{' '}
            {exact || isChecking ? words.counts.of(characters, max) : words.counts.about(characters, max)}
          </span>
        ))
      )}
    </span>
  )
}

function toneOf(characters: number, max: number): string | undefined {
  if (characters > max) return styles.over
  return characters >= max * NEAR ? styles.near : undefined
}
