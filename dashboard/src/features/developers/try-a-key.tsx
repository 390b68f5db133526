import { Code } from '../../ui/code.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { curlOf } from './curl.ts'
import styles from './developers.module.css'
import { words } from './words.ts'

/** Requests to begin with, with the ids of this workspace. */
export function TryAKey() {
  const { channels } = useChannels()
  const channel = channels.find(({ enabled }) => enabled)
  return (
    <section className={styles.section} aria-labelledby="try">
      <h2 id="try">{words.useKey}</h2>
      <Code label={words.setKey} text="export POSTRIDER_KEY=pr_…" />
      <Code label={words.whoami} text={curlOf({ path: 'me' })} />
      <Code label={words.listChannels} text={curlOf({ path: 'channels' })} />
      {channel === undefined ? null : (
        <Code
          label={words.draftFor(channel.displayName)}
          text={curlOf({ path: 'posts', body: draftFor(channel.channelId) })}
        />
      )}
    </section>
  )
}

function draftFor(channelId: string) {
  return {
    confirmed: true,
    idempotencyKey: 'first-draft',
    state: 'draft',
    channelIds: [channelId],
    text: words.sample,
  }
}
