import type { app } from '@postrider/contract'
import type { ReactNode } from 'react'
import { Link2 } from '../../ui/icons.ts'
import { networkName } from '../channels/network-name.ts'
import { countCharacters } from './count-characters.ts'
import styles from './part-preview.module.css'
import { cardOf, foldOf, hasMarkdown, type Segment, segmentsOf } from './rich-text.ts'
import { words } from './words.ts'

/** What a network takes of a text, and how it counts. */
export type TextLimit = Pick<app.ManagedChannel, 'maxCharacters' | 'characterCounting'>

type PartPreviewProps = {
  provider: string
  part: { readonly text: string; readonly mediaIds: readonly string[] }
  /** Of the part within its post. */
  index: number
  /** The media of the part, as the screen shows them. */
  media: ReactNode
  /** False where the settings of the post turn cards off. */
  linkCard?: boolean
  /** Of what is published, nothing is foretold. */
  isOut?: boolean
  /** Undefined where the channel is gone. */
  limit: TextLimit | undefined
}

/** One part of a post as its network shows it: for the composer, for approvals, and for the page of a post. */
export function PartPreview(props: PartPreviewProps): ReactNode {
  const { provider, part, index, media, linkCard = true, isOut = false, limit } = props
  const host = linkCard ? cardOf(provider, part, index) : null
  return (
    <>
      <PartText provider={provider} text={part.text} />
      {media}
      {host === null ? null : <LinkCard {...{ provider, host, isOut }} />}
      {hasMarkdown(provider, part.text) ? (
        <p className={styles.note}>{words.markdown(networkName(provider))}</p>
      ) : null}
      {isOut || limit === undefined ? null : <Characters text={part.text} limit={limit} />}
    </>
  )
}

/** The text of a part, letter by letter as it is published; what is marked, and where it is folded, is shown by looks alone. */
function PartText({ provider, text }: { provider: string; text: string }) {
  const fold = foldOf(provider, text)
  const whole = <Segments segments={segmentsOf(provider, text)} />
  return (
    <>
      <p className={styles.text} data-testid="text" dir="auto">
        {fold === null ? whole : <Folded {...{ provider, text, fold }} />}
      </p>
      {fold === null ? null : <p className={styles.note}>{words.folded(networkName(provider))}</p>}
    </>
  )
}

function Folded({ provider, text, fold }: { provider: string; text: string; fold: number }) {
  return (
    <>
      <Segments segments={segmentsOf(provider, text.slice(0, fold))} />
      <span className={styles.fold} data-words={words.fold} />
      <span className={styles.folded}>
        <Segments segments={segmentsOf(provider, text.slice(fold))} />
      </span>
    </>
  )
}

function Segments({ segments }: { segments: readonly Segment[] }) {
  return segments.map(({ is, text }, at) =>
    is === 'text' ? (
      text
    ) : (
      <span key={at} className={styles.marked}>
        {text}
      </span>
    ),
  )
}

function LinkCard({ provider, host, isOut }: { provider: string; host: string; isOut: boolean }) {
  return (
    <div className={styles.card}>
      <Link2 aria-hidden />
      <div>
        <p>{words.card(host)}</p>
        {isOut ? null : <p className={styles.note}>{words.cardBy(networkName(provider))}</p>}
      </div>
    </div>
  )
}

/** As the network counts; what depends on more than the text, about. */
function Characters({ text, limit }: { text: string; limit: TextLimit }) {
  const { maxCharacters: max, characterCounting } = limit
  // Of a network that is switched off nothing is known.
  if (max === 0 || text === '') return null
  const say = characterCounting === 'code_points' ? words.count : words.aboutCount
  const characters = countCharacters(text, characterCounting)
  return (
    <p className={characters > max ? `${styles.note} ${styles.over}` : styles.note}>{say(characters, max)}</p>
  )
}
