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
import { sentence } from '../../terms/problem-words.ts'
import {
  contentFor,
  type DraftContent,
  duplicateOf,
  isSame,
  restOf,
  wholeContent,
  write,
  writtenFor,
} from '../composer/draft.ts'
import { useChannels } from '../channels/use-channels.ts'
import { countsOf } from '../composer/counts.ts'
import { Issues } from '../composer/issues.tsx'
import { PartsEditor } from '../composer/parts-editor.tsx'
import { useLinkTags } from '../composer/use-link-tags.ts'
import { usePostCheck } from '../composer/use-post-check.ts'
import { words } from './words.ts'

type RepairDialogProps = { post: Post; destination: Destination; onClose: () => void }

/** What was refused is changed and sent again, in one place; of a thread, what is not out. */
export function RepairDialog({ post, destination, onClose }: RepairDialogProps) {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const { channelId, controlToken, displayName, error } = destination
  const now = useNow()
  const live = destination.parts.filter(({ status }) => status === 'published')
  const [original] = useState(() => {
    const time = { state: 'scheduled', ...chooseTime(words.inFive) } as const
    return live.length > 0 ? restOf(post, time, channelId) : duplicateOf(post, time, [channelId])
  })
  const [draft, setDraft] = useState(original)
  const { checked, state } = usePostCheck(draft, zone, post.postId)
  const { channels } = useChannels()
  const channel = channels.find((one) => one.channelId === channelId)
  const { tag } = useLinkTags(post.labels)
  const instant = draft.time.state === 'scheduled' ? instantOf(draft.time, zone, now) : null
  const content = contentFor(draft, channelId)
  // What alone is left is edited as the text of the draft, so that it can be checked.
  const onlyComment =
    live.length > 0 &&
    destination.parts.every(({ kind, status }) => kind === 'first_comment' || status === 'published')
  const textOf = ({ parts }: DraftContent) => parts[0]?.text ?? ''
  const shown = onlyComment ? { ...content, parts: [], firstComment: textOf(content) } : content
  const isChanged = !isSame(content, contentFor(original, channelId))
  const issues = (checked?.check.issues ?? []).filter(({ pointer }) => pointer !== '/publishAt')
  const retry = useWrite('appRetryDestination')

  function send(): void {
    if (instant === null) return
    const before = writtenFor(post, channelId).parts.slice(0, live.length)
    const changed = isChanged
      ? { content: wholeContent({ ...shown, parts: [...before, ...shown.parts] }) }
      : {}
    const publishAt = instant.toISOString()
    void retry
      .mutateAsync({
        params: { workspaceId, postId: post.postId },
        body: { confirmed: true, channelId, controlToken, publishAt, ...changed },
      })
      .then(({ status }) => {
        const when = words.timeIn(showMoment(instant, zone), placeOf(zone))
        announce(status === 'draft' ? words.savedWaiting(when) : words.scheduledFor(when, displayName))
        onClose()
      }, noted)
  }

  return (
    <Dialog
      title={live.length === 0 ? words.retryTitle(displayName) : words.continueTitle(displayName)}
      wide
      onClose={onClose}
    >
      <p>{live.length === 0 ? words.retryHint : words.continueHint}</p>
      {error === null ? null : (
        <Notice tone="red">
          <p>{sentence(error.message)}</p>
        </Notice>
      )}
      <PartsEditor
        content={shown}
        counts={countsOf({ draft, tab: null, checked, tag }, channels)}
        isChecking={state === 'checking'}
        providers={channel === undefined ? [] : [channel.provider]}
        mayComment={!onlyComment && (channel?.capabilities.firstComment ?? false)}
        onChange={(next) => {
          const comment = { ...content, parts: [{ text: next.firstComment ?? '', mediaIds: [] }] }
          setDraft(write(draft, null, onlyComment ? comment : next))
        }}
      />
      <Issues issues={issues} />
      {draft.time.state === 'scheduled' ? (
        <TimeField
          label={words.publishAt}
          {...{ zone, chosen: draft.time }}
          error={fieldError(retry.error, '/publishAt')}
          onChange={(chosen) => setDraft({ ...draft, time: { state: 'scheduled', ...chosen } })}
        />
      ) : null}
      {!isChanged && error?.retryable === false ? <p role="status">{words.sameContent}</p> : null}
      {retry.isError && !isAboutFields(retry.error, ['/publishAt']) ? (
        <ProblemNotice error={retry.error} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        <Button
          variant="primary"
          busy={retry.isPending}
          disabled={instant === null || issues.some(({ severity }) => severity === 'error')}
          onClick={send}
        >
          {live.length > 0
            ? isChanged
              ? words.saveAndContinue
              : words.continueAsIs
            : isChanged
              ? words.saveAndRetry
              : words.retryAsIs}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The dialog says what went wrong. */
const noted = () => undefined
