import { Code } from '../../ui/code.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { curlOf } from './curl.ts'
import styles from './developers.module.css'

/** Requests to begin with, with the ids of this workspace. */
export function TryAKey() {
  const { channels } = useChannels()
  const channel = channels.find(({ enabled }) => enabled)
  return (
    <section className={styles.section} aria-labelledby="try">
      <h2 id="try">Use a key</h2>
      <Code label="Put it into the shell" text="export POSTRIDER_KEY=pr_…" />
      <Code label="See whose it is, and what it may do" text={curlOf({ path: 'me' })} />
      <Code label="List the channels" text={curlOf({ path: 'channels' })} />
      {channel === undefined ? null : (
        <Code
          label={`Write a draft for ${channel.displayName}`}
          text={curlOf({ path: 'posts', body: draftFor(channel.channelId) })}
        />
      )}
    </section>
  )
}

function draftFor(channelId: string) {
  return {
    ...{ confirmed: true, idempotencyKey: 'first-draft', state: 'draft' },
    ...{ channelIds: [channelId], text: 'Hello from a program' },
  }
}
