import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'

/** How often a picture is asked for again that the server gives and the browser does not show. */
const TRIES = 2
const AGAIN_MS = 3_000
const SPREAD_MS = 500

/** A picture of the server. Where that asks to wait, or does not answer, it is loaded once it does. */
export function Picture(props: ComponentProps<'img'> & { src: string; alt: string }): ReactNode {
  const { again, onError } = useAgain(props.src)
  return <img key={again} {...props} alt={props.alt} onError={onError} />
}

/** Loads an element anew that the server did not give its bytes: `key` for what has failed so often. */
export function useAgain(src: string): { again: number; onError: () => void } {
  const [again, setAgain] = useState(0)
  const ended = useRef(new AbortController())
  useEffect(() => {
    ended.current = new AbortController()
    return () => ended.current.abort()
  }, [src])
  const onError = () => {
    const { signal } = ended.current
    void whenServed(src, signal).then((served) => {
      if (!signal.aborted && (served === 'later' || (served === 'now' && again < TRIES)))
        setAgain((tries) => tries + 1)
    })
  }
  return { again, onError }
}

/** Ends when the server gives it: at once (`now`), or after a while (`later`). `never`: it says that it will not. */
export async function whenServed(src: string, signal: AbortSignal): Promise<'now' | 'later' | 'never'> {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(src, { method: 'HEAD', signal }).catch(() => null)
    if (signal.aborted) return 'never'
    if (answer?.ok === true) return tries === 0 ? 'now' : 'later'
    if (answer !== null && answer.status !== 429 && answer.status < 502) return 'never'
    const seconds = Number(answer?.headers.get('retry-after') ?? 0)
    await pause(seconds > 0 ? seconds * 1_000 + Math.random() * SPREAD_MS : AGAIN_MS, signal)
  }
}

/** Ends early when it is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    resolve()
  })
  return promise
}
