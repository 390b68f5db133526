import { ImagePlus, Plus, Trash2 } from '../../ui/icons.ts'
import { type ClipboardEvent, type DragEvent, useEffect, useRef } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import styles from './composer.module.css'
import { countCharacters } from './count-characters.ts'
import type { Count } from './counts.ts'
import { type DraftContent, type DraftPart, insertPart, removePart, withPart } from './draft.ts'
import { MediaStrip } from './media-strip.tsx'
import { useUploads } from './use-uploads.tsx'
import { words } from './words.ts'

type PartsEditorProps = {
  content: DraftContent
  counts: (index: number) => Count[]
  /** Whether the exact counts are on their way. */
  isChecking: boolean
  onChange: (content: DraftContent) => void
}

/** The text and its follow-ups, each with its media. Who opens it types into the first; who adds a part, into that. */
export function PartsEditor({ content, counts, isChecking, onChange }: PartsEditorProps) {
  const whole = useRef<HTMLDivElement>(null)
  const next = useRef<number | null>(null)
  useEffect(() => {
    if (next.current === null) return
    whole.current?.querySelectorAll('textarea')[next.current]?.focus()
    next.current = null
  }, [content.parts.length])
  return (
    <div ref={whole} className={styles.parts}>
      {content.parts.map((part, index) => (
        <PartEditor
          key={index}
          {...{ part, index, isChecking }}
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
    </div>
  )
}

type PartEditorProps = {
  part: DraftPart
  index: number
  alone: boolean
  counts: readonly Count[]
  isChecking: boolean
  onChange: (part: DraftPart) => void
  onAdd: () => void
  onRemove: () => void
}

function PartEditor({ part, index, alone, counts, isChecking, onChange, onAdd, onRemove }: PartEditorProps) {
  const uploads = useUploads((mediaId) => onChange({ ...part, mediaIds: [...part.mediaIds, mediaId] }))
  const take = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    if (data.files.length === 0) return
    event.preventDefault()
    uploads.take([...data.files])
  }
  return (
    <div
      className={styles.part}
      onPaste={(event) => take(event, event.clipboardData)}
      onDrop={(event) => take(event, event.dataTransfer)}
      onDragOver={(event) => event.preventDefault()}
    >
      <textarea
        aria-label={index === 0 ? words.parts.text : words.parts.followUp(index)}
        rows={index === 0 ? 7 : 3}
        dir="auto"
        value={part.text}
        placeholder={index === 0 ? words.parts.placeholder : words.parts.followUpPlaceholder}
        onChange={(event) => onChange({ ...part, text: event.target.value })}
      />
      <MediaStrip
        mediaIds={part.mediaIds}
        onRemove={(id) => onChange({ ...part, mediaIds: part.mediaIds.filter((one) => one !== id) })}
      />
      <div className={styles.partFoot}>
        <Button variant="quiet" onClick={uploads.choose}>
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
