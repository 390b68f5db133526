import { useState } from 'react'
import type { app } from '@postrider/contract'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { ReconnectDialog } from './connect-dialog.tsx'
import { words } from './words.ts'

type ChannelProps = { channel: app.ManagedChannel }

/** The button that renews the access to an account, wherever it is missed. */
export function ReconnectChannel({ channel }: ChannelProps) {
  return channel.provider.startsWith('sandbox-') ? (
    <ReconnectSandbox channel={channel} />
  ) : (
    <Reconnect channel={channel} />
  )
}

function Reconnect({ channel }: ChannelProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <ReconnectButton channel={channel} onClick={() => setOpen(true)} />
      {open ? <ReconnectDialog channel={channel} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function ReconnectSandbox({ channel }: ChannelProps) {
  const { workspaceId } = useSession().workspace
  const reconnect = useWrite('reconnectSandboxChannel')
  const { channelId, displayName } = channel
  return (
    <>
      <ReconnectButton
        channel={channel}
        busy={reconnect.isPending}
        onClick={() =>
          reconnect.mutate(
            { params: { workspaceId, channelId } },
            { onSuccess: () => announce(words.reconnected(displayName)) },
          )
        }
      />
      <WriteProblem error={reconnect.error} />
    </>
  )
}

type ReconnectButtonProps = ChannelProps & { busy?: boolean; onClick: () => void }

function ReconnectButton({ channel, busy = false, onClick }: ReconnectButtonProps) {
  const { displayName, connectionStatus } = channel
  return (
    <Button
      variant={connectionStatus === 'connected' ? 'quiet' : 'primary'}
      aria-label={words.reconnectNamed(displayName)}
      {...{ busy, onClick }}
    >
      {words.reconnect}
    </Button>
  )
}
