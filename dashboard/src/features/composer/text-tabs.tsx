import { wordDiff } from '../../lib/word-diff.ts'
import { listNames } from '../../lib/list-names.ts'
import { Button } from '../../ui/button.tsx'
import { Link2, Pencil } from '../../ui/icons.ts'
import { useChannels } from '../channels/use-channels.ts'
import styles from './composer.module.css'
import { words } from './words.ts'
import {
  contentFor,
  type Draft,
  type DraftContent,
  follow,
  followersOf,
  follows,
  hasTabs,
  ownersOf,
  type TextTab,
  textsOf,
} from './draft.ts'

type TextTabsProps = {
  draft: Draft
  tab: TextTab
  onTab: (tab: TextTab) => void
  onChange: (draft: Draft) => void
}

/** So many texts of channels have a tab; more are in a list. */
const SHOWN = 6

/** Every text of the post, of which one is open. Opening one changes nothing. */
export function TextTabs({ draft, tab, onTab, onChange }: TextTabsProps) {
  const { nameOf } = useChannels()
  if (!hasTabs(draft)) return null
  const followers = followersOf(draft).length
  const { tabs, rest } = placesOf(draft, tab)
  return (
    <div>
      <div className={styles.tabs} role="group" aria-label={words.reach.textFor}>
        <Tab
          name={words.reach.shared}
          detail={words.reach.channels(followers)}
          open={tab === null}
          onOpen={() => onTab(null)}
        />
        {tabs.map((id) => (
          <Tab
            key={id}
            name={nameOf(id)}
            detail={follows(draft, id) ? words.reach.followsShared : words.reach.ownText}
            own={!follows(draft, id)}
            open={tab === id}
            onOpen={() => onTab(id)}
          />
        ))}
        {rest.length > 0 ? <OtherTexts {...{ draft, rest, onTab }} /> : null}
      </div>
      <Reach {...{ draft, tab, onChange }} />
    </div>
  )
}

/** Which texts have a tab: all of a few; of many those that are own, and the one that is open. */
export function placesOf(draft: Draft, tab: TextTab): { tabs: string[]; rest: string[] } {
  if (draft.channelIds.length <= SHOWN) return { tabs: [...draft.channelIds], rest: [] }
  const open = draft.channelIds.filter((id) => id === tab)
  const tabs = [...new Set([...ownersOf(draft).slice(0, SHOWN - 1), ...open])]
  return { tabs, rest: draft.channelIds.filter((id) => !tabs.includes(id)) }
}

type OtherTextsProps = { draft: Draft; rest: readonly string[]; onTab: (tab: TextTab) => void }

function OtherTexts({ draft, rest, onTab }: OtherTextsProps) {
  const { nameOf } = useChannels()
  const label = words.reach.others(rest.length)
  const options = (ids: readonly string[]) =>
    ids.map((id) => (
      <option key={id} value={id}>
        {nameOf(id)}
      </option>
    ))
  const [own, following] = [rest.filter((id) => !follows(draft, id)), rest.filter((id) => follows(draft, id))]
  return (
    <select aria-label={label} value="" onChange={({ target }) => onTab(target.value)}>
      <option value="" disabled hidden>
        {label}
      </option>
      {own.length > 0 ? <optgroup label={words.reach.own}>{options(own)}</optgroup> : null}
      <optgroup label={words.reach.follows}>{options(following)}</optgroup>
    </select>
  )
}

type TabProps = { name: string; detail: string; own?: boolean; open: boolean; onOpen: () => void }

function Tab({ name, detail, own = false, open, onOpen }: TabProps) {
  return (
    <button type="button" className={styles.tab} aria-pressed={open} onClick={onOpen}>
      {name}
      <span className="visually-hidden"> · </span>
      <span className={own ? styles.ownMark : styles.tabDetail}>
        {own ? <Pencil aria-hidden /> : <Link2 aria-hidden />}
        {detail}
      </span>
    </button>
  )
}

/** Whom the text reaches that is open. */
function Reach({ draft, tab, onChange }: Omit<TextTabsProps, 'onTab'>) {
  const { nameOf } = useChannels()
  const own = tab !== null && !follows(draft, tab)
  return (
    <>
      <div className={own ? styles.reachOwn : styles.reach}>
        <p role="status">{reachWords(draft, tab, nameOf)}</p>
        {own ? <Button onClick={() => onChange(follow(draft, tab))}>{words.reach.followAgain}</Button> : null}
        {tab === null && followersOf(draft).length === 0 ? (
          <Button onClick={() => onChange(draft.channelIds.reduce(follow, draft))}>
            {words.reach.allFollow}
          </Button>
        ) : null}
      </div>
      {own ? <Differences shared={draft.shared} own={contentFor(draft, tab)} /> : null}
    </>
  )
}

/** Whom a change of a text reaches, in words. */
export function reachWords(draft: Draft, tab: TextTab, nameOf: (channelId: string) => string): string {
  if (tab !== null) {
    const name = nameOf(tab)
    return follows(draft, tab) ? words.reach.isFollowing(name) : words.reach.isOwn(name)
  }
  const [followers, owners] = [followersOf(draft).map(nameOf), ownersOf(draft).map(nameOf)]
  if (owners.length === 0) return words.reach.all(followers.length)
  const others = words.reach.owners(owners.length, listNames(owners))
  if (followers.length === 0) return words.reach.noFollower(others)
  return words.reach.some(followers.length, draft.channelIds.length, listNames(followers), others)
}

function Differences({ shared, own }: { shared: DraftContent; own: DraftContent }) {
  const [sharedTexts, ownTexts] = [textsOf(shared), textsOf(own)]
  const places = Array.from({ length: Math.max(sharedTexts.length, ownTexts.length) }, (_, at) => at)
  const media = places.some(
    (at) => shared.parts[at]?.mediaIds.join(' ') !== own.parts[at]?.mediaIds.join(' '),
  )
  return (
    <details className={styles.differences}>
      <summary>{words.reach.differences}</summary>
      {places.map((at) => (
        <p key={at} className={styles.previewText}>
          {wordDiff(sharedTexts[at] ?? '', ownTexts[at] ?? '').map(({ kind, text }, place) =>
            kind === 'same' ? (
              text
            ) : kind === 'added' ? (
              <ins key={place}>{text}</ins>
            ) : (
              <del key={place}>{text}</del>
            ),
          )}
        </p>
      ))}
      {media ? <p>{words.reach.mediaDiffer}</p> : null}
    </details>
  )
}
