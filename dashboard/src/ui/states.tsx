import { CircleAlert, CircleCheck, Info, TriangleAlert } from './icons.ts'
import type { ReactNode } from 'react'
import { explainProblem, OfflineError } from '../api/problem.ts'
import { Button } from './button.tsx'
import styles from './states.module.css'
import { words } from './words.ts'

/** What a list shows when there is nothing in it: what would be here, and how to get the first one. */
export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      {icon}
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** The shape of what is being loaded. */
export function Loading({ label = words.loading, lines = 6 }: { label?: string; lines?: number }) {
  return (
    <div className={styles.skeleton} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={styles.bar} />
      ))}
    </div>
  )
}

const toneIcon = { gray: Info, red: CircleAlert, amber: TriangleAlert, green: CircleCheck } as const

/** A read of the API, as its query is. */
export type Reading = {
  readonly data: unknown
  readonly isPending: boolean
  readonly isError: boolean
  readonly error: Error | null
  readonly refetch: () => unknown
}

/**
 * Stands for what is not read yet: its shape, or why it can't be had. Where only reading it again got no answer, what was
 * read before still stands, and the frame says that the server is away.
 */
export function Unread({
  of: { data, isPending, isError, error, refetch },
  lines,
}: {
  of: Reading
  lines?: number
}) {
  if (isPending) return <Loading {...(lines === undefined ? {} : { lines })} />
  if (!isError || (data !== undefined && error instanceof OfflineError)) return null
  return <ProblemNotice error={error} onRetry={() => void refetch()} />
}

type NoticeProps = { tone?: keyof typeof toneIcon; live?: boolean; children: ReactNode }

export function Notice({ tone = 'gray', live = false, children }: NoticeProps) {
  const Icon = toneIcon[tone]
  return (
    <div
      className={`${styles.notice} ${tone === 'gray' ? '' : styles[tone]}`}
      role={live ? 'alert' : undefined}
    >
      <Icon aria-hidden />
      <div>{children}</div>
    </div>
  )
}

/** What the server, or the missing connection to it, said; in its own sentence, with what can be done. */
export function ProblemNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, detail, requestId, help } = explainProblem(error)
  return (
    <Notice tone="red" live>
      <p>
        <strong>{title}</strong>
      </p>
      <p>{detail}</p>
      {requestId === null ? null : (
        <p className={styles.small}>
          {words.request} <code>{requestId}</code>
          {help === null ? null : (
            <>
              {' · '}
              <a href={help} target="_blank" rel="noreferrer">
                {words.whatThisMeans}
              </a>
            </>
          )}
        </p>
      )}
      {onRetry === undefined ? null : (
        <div className={styles.actions}>
          <Button onClick={onRetry}>{words.tryAgain}</Button>
        </div>
      )}
    </Notice>
  )
}
