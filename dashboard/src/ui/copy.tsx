import { Check, Copy } from './icons.ts'
import { useState } from 'react'
import { Button } from './button.tsx'
import { words } from './words.ts'

const SHOWN_MS = 2_000

/** Copies text, and says that it did. */
export function CopyButton({ text, label = words.copy }: { text: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  async function copy(): Promise<void> {
    const copied = await navigator.clipboard.writeText(text).then(
      () => 'copied' as const,
      () => 'refused' as const,
    )
    setState(copied)
    setTimeout(() => setState('idle'), SHOWN_MS)
  }
  return (
    <Button onClick={() => void copy()}>
      {state === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
      <span aria-live="polite">
        {state === 'idle' ? label : state === 'copied' ? words.copied : words.copyYourself}
      </span>
    </Button>
  )
}
