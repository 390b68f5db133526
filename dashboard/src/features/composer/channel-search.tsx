import { type KeyboardEvent, useMemo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ChannelMark } from '../../ui/channel-mark.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { networkName, shownHandle } from '../channels/network-name.ts'
import { searchChannels } from './channel-choices.ts'
import type { ChannelChoice } from './channel-picker.tsx'
import styles from './channel-search.module.css'
import type { Draft } from './draft.ts'
import { words } from './words.ts'

type ChannelSearchProps = {
  /** By use. */
  choices: readonly ChannelChoice[]
  draft: Draft
  onToggle: (channelIds: readonly string[], on: boolean) => void
  onClose: () => void
}

/** As many channels as one post may have. */
const MOST = 50
const USED_LAST = 6

/** Finds channels among many. Enter in the search chooses the first that was found. */
export function ChannelSearch({ choices, draft, onToggle, onClose }: ChannelSearchProps) {
  const [typed, setTyped] = useState('')
  const [network, setNetwork] = useState('')
  const found = useMemo(() => {
    const within = choices.filter(({ provider }) => network === '' || provider === network)
    return searchChannels(within, typed)
  }, [choices, typed, network])
  const chosen = new Set(draft.channelIds)
  const free = found.filter(({ channelId, over }) => !over && !chosen.has(channelId))
  const isSearched = typed.trim() !== '' || network !== ''
  const room = MOST - chosen.size

  function press(event: KeyboardEvent): void {
    const [first] = found.filter(({ over }) => !over)
    if (event.key !== 'Enter' || first === undefined) return
    event.preventDefault()
    onToggle([first.channelId], !chosen.has(first.channelId))
  }

  const list = { chosen, room, onToggle }
  const byName = useMemo(
    () => found.toSorted((a, b) => a.displayName.localeCompare(b.displayName, undefined, { numeric: true })),
    [found],
  )
  const usedLast = isSearched ? [] : found.filter(({ lastPublishedAt }) => lastPublishedAt !== null)
  const first = usedLast.slice(0, USED_LAST)
  // What Enter chooses stands first.
  const rest = isSearched ? found : byName.filter((one) => !first.includes(one))
  return (
    <Dialog title={words.channels.title} wide onClose={onClose}>
      <div className={styles.filters}>
        <SearchField
          label={words.channels.search}
          // A dialog that is for searching begins with it.
          autoFocus
          value={typed}
          onChange={setTyped}
          onKeyDown={press}
        />
        <NetworkFilter {...{ choices, network }} onChange={setNetwork} />
      </div>
      <div className={styles.acts}>
        <span role="status">
          {isSearched ? `${words.channels.found(found.length)} · ` : ''}
          {words.channels.chosen(chosen.size, choices.length)}
          {room <= 0 ? ` · ${words.channels.most(MOST)}` : ''}
        </span>
        {isSearched && free.length > 1 && free.length <= room ? (
          <Button
            onClick={() =>
              onToggle(
                free.map(({ channelId }) => channelId),
                true,
              )
            }
          >
            {words.channels.chooseFound(free.length)}
          </Button>
        ) : null}
        {chosen.size > 0 ? (
          <Button variant="quiet" onClick={() => onToggle(draft.channelIds, false)}>
            {words.channels.clear}
          </Button>
        ) : null}
      </div>
      <div className={styles.lists}>
        {first.length > 0 ? <Rows {...list} title={words.channels.usedLast} rows={first} /> : null}
        <Rows {...list} title={words.channels.all} rows={rest} />
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          {words.channels.done}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type NetworkFilterProps = {
  choices: readonly ChannelChoice[]
  network: string
  onChange: (network: string) => void
}

function NetworkFilter({ choices, network, onChange }: NetworkFilterProps) {
  const providers = [...new Set(choices.map(({ provider }) => provider))]
  if (providers.length < 2) return null
  return (
    <select
      aria-label={words.channels.network}
      value={network}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{words.channels.anyNetwork}</option>
      {providers.map((provider) => (
        <option key={provider} value={provider}>
          {networkName(provider)} ({choices.filter((one) => one.provider === provider).length})
        </option>
      ))}
    </select>
  )
}

type RowsProps = {
  title: string
  rows: readonly ChannelChoice[]
  chosen: ReadonlySet<string>
  /** How many more may be chosen. */
  room: number
  onToggle: ChannelSearchProps['onToggle']
}

function Rows({ title, rows, chosen, room, onToggle }: RowsProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {rows.map((choice) => {
          const { channelId, displayName, handle, provider, over } = choice
          const isChosen = chosen.has(channelId)
          return (
            <li key={channelId} className={styles.row}>
              <label>
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={over || (room <= 0 && !isChosen)}
                  onChange={({ target }) => onToggle([channelId], target.checked)}
                />
                <ChannelMark channel={choice} />
                <span className={styles.name}>
                  <strong>{displayName}</strong> {shownHandle(provider, handle)}
                </span>
                <span className={styles.network}>
                  {over ? `${words.channels.over} · ` : ''}
                  {networkName(provider)}
                </span>
              </label>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
