import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { buttonClass } from './button.tsx'
import styles from './menu.module.css'

export type MenuItem = {
  label: string
  icon?: ReactNode
  danger?: boolean
  onSelect: () => void
}

type MenuProps = { label: string; trigger: ReactNode; items: readonly MenuItem[]; quiet?: boolean }

/** A button that opens a list of actions (WAI-ARIA menu button), on the platform's popover. */
export function Menu({ label, trigger, items, quiet = true }: MenuProps) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  // A long list has a menu in each row: what is in it is made when it opens.
  const [open, setOpen] = useState(false)
  const anchor = `--menu${id.replaceAll(/[^a-zA-Z0-9]/g, '')}`

  function move(event: KeyboardEvent<HTMLDivElement>): void {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')]
    const place = all.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all.at(next % all.length)?.focus()
  }

  return (
    <>
      <button
        type="button"
        className={buttonClass(quiet ? 'quiet' : 'default')}
        aria-haspopup="menu"
        aria-label={label}
        title={label}
        popoverTarget={id}
        style={{ anchorName: anchor }}
      >
        {trigger}
      </button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        className={styles.menu}
        style={{ positionAnchor: anchor }}
        onKeyDown={move}
        onBeforeToggle={({ newState }) => {
          if (newState === 'open') flushSync(() => setOpen(true))
        }}
        onToggle={(event) => {
          if (event.newState === 'open') menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
        }}
      >
        {(open ? items : []).map(({ label: text, icon, danger = false, onSelect }) => (
          <button
            key={text}
            type="button"
            role="menuitem"
            className={danger ? `${styles.item} ${styles.danger}` : styles.item}
            onClick={() => {
              menu.current?.hidePopover()
              onSelect()
            }}
          >
            {icon}
            {text}
          </button>
        ))}
      </div>
    </>
  )
}
