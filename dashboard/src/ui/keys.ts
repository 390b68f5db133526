import { useEffect, useRef } from 'react'

/** One key (`c`), or keys pressed one after the other (`g p`), with what they do. `mod+k` is Ctrl or Command. */
export type KeyMap = Readonly<Record<string, () => void>>

const SEQUENCE_MS = 1_000

/** Binds keys while the component is there. Silent while a person types, and while a dialog is open. */
export function useKeys(keys: KeyMap): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    let first = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    function press(event: KeyboardEvent): void {
      const modified = event.metaKey || event.ctrlKey
      if (event.defaultPrevented || event.altKey || event.isComposing) return
      if (!modified && (isTyping(event.target) || document.querySelector('dialog[open]') !== null)) return
      const key = modified ? `mod+${event.key.toLowerCase()}` : event.key
      const run = latest.current[first === '' ? key : `${first} ${key}`] ?? latest.current[key]
      clearTimeout(timer)
      first =
        run === undefined && Object.keys(latest.current).some((one) => one.startsWith(`${key} `)) ? key : ''
      timer = setTimeout(() => (first = ''), SEQUENCE_MS)
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', press)
    return () => {
      clearTimeout(timer)
      removeEventListener('keydown', press)
    }
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
