import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
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
        onToggle={(event) => {
          if (event.newState === 'open') menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
        }}
      >
        {items.map(({ label: text, icon, danger = false, onSelect }) => (
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
