import type { Destination, Post } from '@postrider/contract'
import { useState } from 'react'
import { fieldError } from '../../api/problem.ts'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { networkName, profileAddress } from '../channels/network-name.ts'
import { useChannels } from '../channels/use-channels.ts'
import styles from './posts.module.css'
import { words } from './words.ts'

const findings = {
  published: { label: words.itsLive, means: words.itsLiveHint },
  absent: {
    label: words.notLivePublish,
    means: words.notLivePublishHint,
  },
  failed: {
    label: words.notLiveFail,
    means: words.notLiveFailHint,
  },
} as const

type Finding = keyof typeof findings

/** A person settles what could not be proven, after a look at the network. */
export function ResolveDialog({
  post,
  destination,
  onClose,
}: {
  post: Post
  destination: Destination
  onClose: () => void
}) {
  const { workspaceId } = useSession().workspace
  const [finding, setFinding] = useState<Finding | null>(null)
  const [url, setUrl] = useState('')
  const [note, setNote] = useState('')
  const resolve = useWrite('resolveDestination')
  const { channels } = useChannels()
  const account = channels.find(({ channelId }) => channelId === destination.channelId)
  const profile = account === undefined ? null : profileAddress(account.provider, account.handle)

  function settle(): void {
    if (finding === null) return
    const { channelId, controlToken } = destination
    const address = url.trim()
    const shown = /^https?:/i.test(address) ? { url: address } : {}
    const found = finding === 'published' ? { remoteId: address, ...shown } : {}
    resolve.mutate(
      {
        params: { workspaceId, postId: post.postId },
        body: {
          channelId,
          controlToken,
          finding,
          ...found,
          ...(note.trim() === '' ? {} : { note: note.trim() }),
        },
      },
      {
        onSuccess: () => {
          announce(words.resultSaved)
          onClose()
        },
      },
    )
  }

  const missing = missingOf(finding, url)
  return (
    <Dialog title={words.resolveTitle(destination.displayName)} onClose={onClose}>
      <p>
        {words.resolveHint(networkName(destination.provider))}{' '}
        {profile === null ? null : (
          <a href={profile} target="_blank" rel="noreferrer">
            {words.openAccount(destination.displayName)}
          </a>
        )}
      </p>
      <fieldset className={styles.findings}>
        <legend className="visually-hidden">{words.found}</legend>
        {(Object.keys(findings) as Finding[]).map((one) => (
          <label key={one} className={styles.finding}>
            <input type="radio" name="finding" checked={finding === one} onChange={() => setFinding(one)} />
            <span>
              <strong>{findings[one].label}</strong>
              <span className={styles.means}>{findings[one].means}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {finding === 'published' ? (
        <TextField
          label={words.address}
          error={fieldError(resolve.error, '/url') ?? fieldError(resolve.error, '/remoteId')}
          value={url}
          onChange={setUrl}
        />
      ) : null}
      <TextField label={words.howYouKnow} value={note} maxLength={500} onChange={setNote} />
      {missing === null ? null : <p role="status">{missing}</p>}
      {resolve.isError ? <ProblemNotice error={resolve.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>{words.notNow}</Button>
        <Button
          variant={finding === 'absent' ? 'danger' : 'primary'}
          busy={resolve.isPending}
          disabled={missing !== null}
          onClick={settle}
        >
          {words.saveResult}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** What is still to be said; null for nothing. */
function missingOf(finding: Finding | null, url: string): string | null {
  if (finding === null) return words.chooseFound
  return finding === 'published' && url.trim() === '' ? words.enterAddress : null
}
