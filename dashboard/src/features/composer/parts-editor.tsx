import { ImagePlus, Plus, Trash2 } from '../../ui/icons.ts'
import type { ClipboardEvent, DragEvent } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import styles from './composer.module.css'
import { type DraftContent, type DraftPart, insertPart, removePart, withPart } from './draft.ts'
import type { Count } from './issues.tsx'
import { MediaStrip } from './media-strip.tsx'
import { useUploads } from './use-uploads.tsx'

type PartsEditorProps = {
  content: DraftContent
  counts: (index: number) => Count[]
  onChange: (content: DraftContent) => void
}

/** The text and its follow-ups, each with its media. */
export function PartsEditor({ content, counts, onChange }: PartsEditorProps) {
  return (
    <>
      {content.parts.map((part, index) => (
        <PartEditor
          key={index}
          {...{ part, index }}
          alone={content.parts.length === 1}
          counts={counts(index)}
          onChange={(next) => onChange(withPart(content, index, next))}
          onAdd={() => onChange(insertPart(content, index))}
          onRemove={() => onChange(removePart(content, index))}
        />
      ))}
    </>
  )
}

type PartEditorProps = {
  part: DraftPart
  index: number
  alone: boolean
  counts: readonly Count[]
  onChange: (part: DraftPart) => void
  onAdd: () => void
  onRemove: () => void
}

function PartEditor({ part, index, alone, counts, onChange, onAdd, onRemove }: PartEditorProps) {
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
        aria-label={index === 0 ? 'Text' : `Follow-up ${index}`}
        rows={index === 0 ? 7 : 3}
        value={part.text}
        placeholder={index === 0 ? 'What do you want to say?' : 'Published as a reply to the part before'}
        onChange={(event) => onChange({ ...part, text: event.target.value })}
      />
      <MediaStrip
        mediaIds={part.mediaIds}
        onRemove={(id) => onChange({ ...part, mediaIds: part.mediaIds.filter((one) => one !== id) })}
      />
      <div className={styles.partFoot}>
        <Button variant="quiet" onClick={uploads.choose}>
          <ImagePlus aria-hidden />
          Media
        </Button>
        <Button variant="quiet" onClick={onAdd}>
          <Plus aria-hidden />
          Follow-up
        </Button>
        {alone ? null : (
          <IconButton label="Remove this part" onClick={onRemove}>
            <Trash2 aria-hidden />
          </IconButton>
        )}
        <span className={styles.counts}>
          {counts.map(({ name, characters, max }) => (
            <span key={name} className={characters > max ? styles.over : undefined}>
              {name} {characters.toLocaleString()} / {max.toLocaleString()}
            </span>
          ))}
        </span>
      </div>
      {uploads.element}
    </div>
  )
}
