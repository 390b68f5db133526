import type { app } from '@postrider/contract'
import { findingWords, type ConnectionAspect, type FindingLevel } from '@postrider/contract/names'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { german, locale } from '../../lib/language.ts'
import { showTime } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { CircleCheck, CircleHelp, CircleX, type Icon, TriangleAlert } from '../../ui/icons.ts'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import styles from './channels.module.css'
import { networkName } from './network-name.ts'
import { ReconnectChannel } from './reconnect-channel.tsx'
import { words } from './words.ts'

type Finding = app.ConnectionFinding

const looks: Readonly<Record<FindingLevel, { readonly icon: Icon; readonly style: string | undefined }>> = {
  ok: { icon: CircleCheck, style: styles.ok },
  unknown: { icon: CircleHelp, style: styles.unknown },
  warn: { icon: TriangleAlert, style: styles.warn },
  fail: { icon: CircleX, style: styles.fail },
}
/** What a new access would mend. */
const MENDED: ReadonlySet<Finding['code']> = new Set([
  ...(['access_refused', 'access_ends_soon', 'access_unreadable', 'reconnect_required'] as const),
  ...(['scopes_missing', 'limits_changed'] as const),
])

/** Asks the network of a channel how its connection is, and shows what it said. It is asked when this opens, and on demand. */
export function CheckDialog({ channel, onClose }: { channel: app.ManagedChannel; onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const { channelId, displayName, provider } = channel
  const check = useQuery({
    queryKey: ['checkConnection', channelId],
    queryFn: () => call('checkConnection', { params: { workspaceId, channelId } }),
    // Each check costs calls of the network.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { data, error, isFetching } = check
  const findings = data?.findings ?? []
  return (
    <Dialog title={words.checkTitle(displayName)} onClose={onClose}>
      {isFetching ? (
        <Loading label={words.asking(networkName(provider))} lines={5} />
      ) : error === null ? (
        <ul className={styles.findings} aria-label={words.found}>
          {findings.map((finding, place) => (
            <FindingRow key={place} finding={finding} />
          ))}
        </ul>
      ) : (
        <ProblemNotice error={error} />
      )}
      <DialogActions>
        {!isFetching && findings.some(({ code }) => MENDED.has(code)) ? (
          <ReconnectChannel channel={channel} />
        ) : null}
        <Button onClick={onClose}>{words.close}</Button>
        <Button busy={isFetching} onClick={() => void check.refetch()}>
          {words.checkAgain}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const list = new Intl.ListFormat(locale)

function FindingRow({ finding: { aspect, code, level, values } }: { finding: Finding }) {
  const { timeZone: zone } = useSession().workspace
  const { icon: Mark, style } = looks[level]
  const { said, fix } = (german?.findings ?? findingWords)[code]
  const show = {
    time: (instant: string) => showTime(instant, zone),
    number: (value: number) => value.toLocaleString(locale),
    list: (items: readonly string[]) => list.format(items),
  }
  return (
    <li>
      <span className={style} role="img" aria-label={words.levels[level]}>
        <Mark aria-hidden />
      </span>
      <div>
        <strong>{words.aspects[aspect satisfies ConnectionAspect]}</strong>
        <p>{said(values, show)}</p>
        {fix === null ? null : <p className={styles.hint}>{fix(values, show)}</p>}
      </div>
    </li>
  )
}
