import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { read } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import styles from './part-text.module.css'
import { type Begun, begunAt, completed, suggestionsFor, usedIn } from './suggest.ts'
import { words } from './words.ts'

type PartTextProps = {
  text: string
  index: number
  /** Whether it is the first comment. */
  comment?: boolean
  onChange: (text: string) => void
}

const MOST = 6
const POSTS = 100
const FRESH_MS = 300_000

/**
 * The text of a part. While a mention or hashtag is typed, those that were used are listed below; none is taken unless it was gone
 * to by an arrow key or clicked, so that Enter stays a new line.
 */
export function PartText({ text, index, comment = false, onChange }: PartTextProps) {
  const listId = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const caretAfter = useRef<number | null>(null)
  const [caret, setCaret] = useState<number | null>(null)
  const [at, setAt] = useState(-1)
  const begun = caret === null ? null : begunAt(text, caret)
  const found = useSuggestions(begun)

  useEffect(() => {
    if (caretAfter.current === null) return
    area.current?.focus()
    area.current?.setSelectionRange(caretAfter.current, caretAfter.current)
    caretAfter.current = null
  }, [text])

  function take(word: string): void {
    if (begun === null || caret === null) return
    const next = completed(text, caret, begun, word)
    caretAfter.current = next.caret
    close()
    onChange(next.text)
  }
  function close(): void {
    setCaret(null)
    setAt(-1)
  }
  function press(event: KeyboardEvent): void {
    if (found.length === 0 || event.nativeEvent.isComposing) return
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key]
    const word = found[at]
    if (next !== undefined) setAt(Math.max(-1, Math.min(found.length - 1, next)))
    else if ((event.key === 'Enter' || event.key === 'Tab') && word !== undefined) take(word)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  }

  return (
    <div className={styles.whole}>
      <textarea
        ref={area}
        aria-label={labelOf(index, comment)}
        aria-autocomplete="list"
        aria-controls={found.length > 0 ? listId : undefined}
        aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${at}`}
        rows={index === 0 ? 7 : 3}
        dir="auto"
        value={text}
        placeholder={placeholderOf(index, comment)}
        onChange={({ target }) => {
          setCaret(target.selectionStart)
          setAt(-1)
          onChange(target.value)
        }}
        onClick={close}
        onBlur={close}
        onKeyDown={press}
      />
      {found.length > 0 ? (
        <ul id={listId} role="listbox" aria-label={words.parts.suggestions} className={styles.list}>
          {found.map((word, place) => (
            <li
              key={word}
              id={`${listId}-${place}`}
              role="option"
              aria-selected={place === at}
              className={styles.option}
              // The text keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(word)}
            >
              {word}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

function labelOf(index: number, comment: boolean): string {
  if (comment) return words.parts.firstComment
  return index === 0 ? words.parts.text : words.parts.followUp(index)
}

function placeholderOf(index: number, comment: boolean): string {
  if (comment) return words.parts.firstCommentPlaceholder
  return index === 0 ? words.parts.placeholder : words.parts.followUpPlaceholder
}

/** What was used in the latest posts of the workspace, and begins so. They are read when something is begun. */
function useSuggestions(begun: Begun | null): readonly string[] {
  const { workspaceId } = useSession().workspace
  const mayRead = useMay('posts:read')
  const latest = useQuery({
    ...read('appListPosts', { params: { workspaceId }, query: { limit: POSTS } }),
    enabled: begun !== null && mayRead,
    staleTime: FRESH_MS,
  })
  const used = useMemo(() => usedIn((latest.data?.items ?? []).map(({ text }) => text)), [latest.data])
  return begun === null ? [] : suggestionsFor(begun, used, MOST)
}
