import type { Destination, Post } from '@postrider/contract'
import { useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { useWrite } from '../../api/queries.ts'
import { chooseTime, instantOf } from '../../lib/chosen-time.ts'
import { showMoment } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Notice, ProblemNotice } from '../../ui/states.tsx'
import { TimeField } from '../../ui/time-field.tsx'
import { announce } from '../../ui/toast.tsx'
import { contentFor, duplicateOf, isSame, wholeContent, write } from '../composer/draft.ts'
import { useChannels } from '../channels/use-channels.ts'
import { countsOf } from '../composer/counts.ts'
import { Issues } from '../composer/issues.tsx'
import { PartsEditor } from '../composer/parts-editor.tsx'
import { usePostCheck } from '../composer/use-post-check.ts'

type RepairDialogProps = { post: Post; destination: Destination; onClose: () => void }

/** What was refused is changed and sent again, in one place. */
export function RepairDialog({ post, destination, onClose }: RepairDialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { channelId, controlToken, displayName, error } = destination
  const now = useNow()
  const [original] = useState(() =>
    duplicateOf(post, { state: 'scheduled', ...chooseTime('in 5 minutes') }, [channelId]),
  )
  const [draft, setDraft] = useState(original)
  const { checked, state } = usePostCheck(draft, zone, post.postId)
  const { channels } = useChannels()
  const instant = draft.time.state === 'scheduled' ? instantOf(draft.time, zone, now) : null
  const content = contentFor(draft, channelId)
  const isChanged = !isSame(content, contentFor(original, channelId))
  const issues = (checked?.check.issues ?? []).filter(({ pointer }) => pointer !== '/publishAt')
  const retry = useWrite('appRetryDestination')

  function send(): void {
    if (instant === null) return
    const changed = isChanged ? { content: wholeContent(content) } : {}
    const publishAt = instant.toISOString()
    void retry
      .mutateAsync({
        params: { workspaceId, postId: post.postId },
        body: { confirmed: true, channelId, controlToken, publishAt, ...changed },
      })
      .then(({ status }) => {
        const when = `${showMoment(instant, zone)} in ${placeOf(zone)}`
        announce(
          status === 'draft'
            ? `Saved. Waiting for approval, then published ${when}.`
            : `Scheduled for ${when}, on ${displayName}.`,
        )
        onClose()
      }, noted)
  }

  return (
    <Dialog title={`Edit and retry: ${displayName}`} wide onClose={onClose}>
      <p>Nothing was published on this channel, so retrying is safe. Other channels stay as they are.</p>
      {error === null ? null : (
        <Notice tone="red">
          <p>{error.message}</p>
        </Notice>
      )}
      <PartsEditor
        content={content}
        counts={countsOf({ draft, tab: null, checked }, channels)}
        isChecking={state === 'checking'}
        providers={channels.filter((one) => one.channelId === channelId).map(({ provider }) => provider)}
        onChange={(next) => setDraft(write(draft, null, next))}
      />
      <Issues issues={issues} />
      {draft.time.state === 'scheduled' ? (
        <TimeField
          label="Publish at"
          {...{ zone, chosen: draft.time }}
          error={fieldError(retry.error, '/publishAt')}
          onChange={(chosen) => setDraft({ ...draft, time: { state: 'scheduled', ...chosen } })}
        />
      ) : null}
      {!isChanged && error?.retryable === false ? (
        <p role="status">
          The network refused exactly this content. Change it, unless something changed there.
        </p>
      ) : null}
      {retry.isError && !isAboutFields(retry.error, ['/publishAt']) ? (
        <ProblemNotice error={retry.error} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="primary"
          busy={retry.isPending}
          disabled={instant === null || issues.some(({ severity }) => severity === 'error')}
          onClick={send}
        >
          {isChanged ? 'Save and retry' : 'Retry as it is'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The dialog says what went wrong. */
const noted = () => undefined
