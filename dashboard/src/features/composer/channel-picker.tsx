import type { app, Post } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import { useMemo, useRef, useState } from 'react'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { Search } from '../../ui/icons.ts'
import { Notice } from '../../ui/states.tsx'
import { groupsOf } from '../channels/groups.ts'
import { useChannels } from '../channels/use-channels.ts'
import { byUse, pinnedOf } from './channel-choices.ts'
import { ChannelSearch } from './channel-search.tsx'
import styles from './composer.module.css'
import { activeOf, type Draft } from './draft.ts'
import { listUsed } from './last-used.ts'
import { words } from './words.ts'

type ChannelPickerProps = {
  draft: Draft
  /** The post that is edited. */
  post: Post | null
  onChange: (draft: Draft) => void
}

/** A channel that can be chosen; `over`: the post is over there, and does not come back. */
export type ChannelChoice = app.ManagedChannel & { readonly over: boolean }

/** So many are shown without a search: two rows of them. */
const SHOWN = 8

export function ChannelPicker({ draft, post, onChange }: ChannelPickerProps) {
  const { workspaceId } = useSession().workspace
  const choices = useChoices(post)
  const [searching, setSearching] = useState(false)
  const pinned = useRef<readonly string[]>([])
  if (choices.length === 0) return <NoChannel workspaceId={workspaceId} />

  const ordered = choices.map(({ channelId }) => channelId)
  pinned.current = pinnedOf(pinned.current, ordered, draft.channelIds, SHOWN)
  const shown =
    choices.length <= SHOWN
      ? choices.toSorted((a, b) => a.displayName.localeCompare(b.displayName, undefined, { numeric: true }))
      : pinned.current.flatMap((id) => choices.find(({ channelId }) => channelId === id) ?? [])
  const isShown = new Set(shown.map(({ channelId }) => channelId))
  const hidden = draft.channelIds.filter((id) => !isShown.has(id)).length
  return (
    <fieldset className={styles.group}>
      <legend>
        {words.channels.legend}
        {choices.length > SHOWN ? (
          <span className={styles.chosenCount}>
            {words.channels.chosen(draft.channelIds.length, choices.length)}
          </span>
        ) : null}
      </legend>
      <div className={choices.length > SHOWN ? styles.someChannels : styles.channels}>
        {shown.map((choice) => (
          <Pill
            key={choice.channelId}
            choice={choice}
            checked={draft.channelIds.includes(choice.channelId)}
            onToggle={(on) => onChange(withChannels(draft, [choice.channelId], on))}
          />
        ))}
        {choices.length > SHOWN ? (
          <Button onClick={() => setSearching(true)}>
            <Search aria-hidden />
            {words.channels.more(hidden)}
          </Button>
        ) : null}
      </div>
      <Groups
        choices={choices}
        chosen={draft.channelIds}
        onToggle={(ids, on) => onChange(withChannels(draft, ids, on))}
      />
      {searching ? (
        <ChannelSearch
          {...{ choices, draft }}
          onToggle={(ids, on) => onChange(withChannels(draft, ids, on))}
          onClose={() => setSearching(false)}
        />
      ) : null}
    </fieldset>
  )
}

type GroupsProps = {
  choices: readonly ChannelChoice[]
  chosen: readonly string[]
  onToggle: (channelIds: readonly string[], on: boolean) => void
}

/** Chooses all channels of a group, or none of them. */
function Groups({ choices, chosen, onToggle }: GroupsProps) {
  const groups = groupsOf(choices.filter(({ over }) => !over))
  if (groups.length === 0) return null
  return (
    <div className={styles.groupButtons}>
      {groups.map(({ groupId, name, channelIds }) => {
        const isWhole = channelIds.every((id) => chosen.includes(id))
        return (
          <Button
            key={groupId}
            variant="quiet"
            aria-pressed={isWhole}
            onClick={() => onToggle(channelIds, !isWhole)}
          >
            {words.channels.allOf(name, channelIds.length)}
          </Button>
        )
      })}
    </div>
  )
}

function NoChannel({ workspaceId }: { workspaceId: string }) {
  return (
    <Notice tone="amber">
      <p>
        {words.channels.none}{' '}
        <Link to="/w/$workspaceId/channels" params={{ workspaceId }}>
          {words.channels.connect}
        </Link>
      </p>
    </Notice>
  )
}

/** What can be chosen, by use. */
function useChoices(post: Post | null): readonly ChannelChoice[] {
  const { workspaceId } = useSession().workspace
  const { channels } = useChannels()
  const [used] = useState(() => listUsed(workspaceId, 'channels'))
  return useMemo(() => {
    const there = new Set(post?.destinations.map(({ channelId }) => channelId))
    const active = new Set(post === null ? [] : activeOf(post).map(({ channelId }) => channelId))
    const enabled = channels.filter((channel) => channel.enabled || active.has(channel.channelId))
    return byUse(enabled, used).map((channel) => ({
      ...channel,
      over: there.has(channel.channelId) && !active.has(channel.channelId),
    }))
  }, [channels, post, used])
}

/** The draft with these channels chosen, or not; one that is chosen again keeps its place. */
function withChannels(draft: Draft, ids: readonly string[], on: boolean): Draft {
  const rest = draft.channelIds.filter((id) => !ids.includes(id))
  if (!on) return { ...draft, channelIds: rest }
  return { ...draft, channelIds: [...new Set([...draft.channelIds, ...ids])] }
}

type PillProps = { choice: ChannelChoice; checked: boolean; onToggle: (on: boolean) => void }

function Pill({ choice, checked, onToggle }: PillProps) {
  const { displayName, over } = choice
  return (
    <label className={styles.channel}>
      <input
        type="checkbox"
        disabled={over}
        checked={checked}
        onChange={(event) => onToggle(event.target.checked)}
      />
      <ChannelMark channel={choice} />
      {displayName}
      {over ? ` (${words.channels.over})` : ''}
    </label>
  )
}
