import type { app } from '@postrider/contract'
import { wordDiff } from '../../lib/word-diff.ts'
import styles from './approvals.module.css'
import { words } from './words.ts'

type Parts = app.ApprovalView['destinations'][number]['parts']
type Previous = NonNullable<app.ApprovalView['previous']>

/** What became of the request before. */
export function previousWords({ status, decidedBy, note }: Previous): string {
  const said = note === null ? '' : `: “${note}”`
  if (status === 'rejected') return words.rejectedBefore(decidedBy ?? words.someone, ended(said))
  if (status === 'approved') return words.approvedBefore(decidedBy ?? words.someone, ended(said))
  return words.changedSince
}

/** The words with a full stop, where they have no end of their own. */
const ended = (words: string) => (/[.!?]”$/.test(words) ? words : `${words}.`)

/** What changed on a channel since the request before. */
export function Changes({ before, after }: { before: Parts | undefined; after: Parts }) {
  if (before === undefined) return <p className={styles.meta}>{words.newChannel}</p>
  const places = Array.from({ length: Math.max(before.length, after.length) }, (_, place) => place)
  const changed = places.filter((place) => !isSame(before[place], after[place]))
  if (changed.length === 0) return <p className={styles.meta}>{words.unchanged}</p>
  return (
    <details className={styles.changes} open>
      <summary>{words.changes}</summary>
      {changed.map((place) => (
        <PartChange key={place} before={before[place]} after={after[place]} />
      ))}
    </details>
  )
}

function isSame(before: Parts[number] | undefined, after: Parts[number] | undefined): boolean {
  return before?.kind === after?.kind && before?.text === after?.text && sameMedia(before, after)
}

function sameMedia(before: Parts[number] | undefined, after: Parts[number] | undefined): boolean {
  return (before?.mediaIds ?? []).join(' ') === (after?.mediaIds ?? []).join(' ')
}

function PartChange({
  before,
  after,
}: {
  before: Parts[number] | undefined
  after: Parts[number] | undefined
}) {
  return (
    <div>
      <p className={styles.diff}>
        {wordDiff(before?.text ?? '', after?.text ?? '').map(({ kind, text }, place) =>
          kind === 'same' ? (
            text
          ) : kind === 'added' ? (
            <ins key={place}>{text}</ins>
          ) : (
            <del key={place}>{text}</del>
          ),
        )}
      </p>
      {sameMedia(before, after) ? null : <p className={styles.meta}>{words.mediaChanged}</p>}
    </div>
  )
}
