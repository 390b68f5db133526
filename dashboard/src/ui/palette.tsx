import { useEffect, useId, useMemo, useRef, useState } from 'react'
import styles from './palette.module.css'
import { words } from './words.ts'

export type PaletteCommand = {
  id: string
  label: string
  hint?: string
  /** The keys that do the same. */
  key?: string
  /** It was found elsewhere by what was typed, and matches whatever its label says. */
  isFound?: true
  run: () => void
}

type PaletteProps = {
  commands: readonly PaletteCommand[]
  /** Called with what is typed, for commands that are found elsewhere (posts, channels). */
  onQuery: (query: string) => void
  onClose: () => void
}

/** The commands of which every word that was typed begins a word, in their own order. */
export function matching(commands: readonly PaletteCommand[], query: string): PaletteCommand[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ label, hint = '', key = '', isFound = false }) => {
    if (isFound) return true
    const within = `${label} ${hint} ${key}`.toLowerCase().split(/\s+/)
    return words.every((word) => within.some((one) => one.startsWith(word)))
  })
}

/** Search and commands (WAI-ARIA combobox with a list box). */
export function Palette({ commands, onQuery, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const found = useMemo(() => matching(commands, query), [commands, query])
  const selected = Math.min(at, found.length - 1)

  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [selected])

  function choose(command: PaletteCommand | undefined): void {
    if (command === undefined) return
    onClose()
    command.run()
  }

  function press(event: React.KeyboardEvent): void {
    const next = { ArrowDown: selected + 1, ArrowUp: selected - 1, Home: 0, End: found.length - 1 }[event.key]
    if (event.key === 'Enter') choose(found[selected])
    else if (next === undefined) return
    else setAt((next + found.length) % Math.max(1, found.length))
    event.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={words.search}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <input
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={found[selected] === undefined ? undefined : `${listId}-${selected}`}
        aria-label={words.search}
        placeholder={words.searchHint}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setAt(0)
          onQuery(event.target.value)
        }}
        onKeyDown={press}
      />
      <ul id={listId} role="listbox" className={styles.list} aria-label={words.results}>
        {found.map((command, index) => (
          <li
            key={command.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === selected}
            className={styles.option}
            onPointerMove={() => setAt(index)}
            onClick={() => choose(command)}
          >
            {command.label}
            {command.hint === undefined ? null : <span className={styles.hint}>{command.hint}</span>}
            {command.key === undefined ? null : <kbd className={styles.hint}>{command.key}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p className={styles.none}>{words.noResults(query)}</p> : null}
    </dialog>
  )
}
