import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { FlaskConical } from '../../ui/icons.ts'
import { useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { NetworkMark } from '../../ui/network-mark.tsx'
import { ProblemNotice, Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { capitalized, ConnectAccount } from './connect-account.tsx'
import { shownHandle } from './network-name.ts'
import { words } from './words.ts'

const profiles = [
  { profile: 'short', title: words.sandboxShort, detail: words.sandboxShortHint },
  { profile: 'professional', title: words.sandboxLong, detail: words.sandboxLongHint },
] as const

/** What can be connected: the networks that the server names, and the sandbox. */
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const { networks, unread } = useNetworks()
  const [chosen, setChosen] = useState<app.Network | null>(null)
  if (chosen !== null)
    return (
      <Dialog title={words.connectTitle(chosen.displayName)} onClose={onClose}>
        <ConnectAccount network={chosen} channel={null} onConnected={onClose} />
        <DialogActions>
          <Button onClick={() => setChosen(null)}>{words.back}</Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <Dialog title={words.connect} onClose={onClose} wide>
      {unread}
      <Rows label={words.networks}>
        {networks.map((network) => (
          <Row
            key={network.provider}
            icon={<NetworkMark provider={network.provider} />}
            title={network.displayName}
            detail={network.needs.length > 0 ? <Needs network={network} /> : waysOf(network)}
            actions={
              network.needs.length > 0 ? undefined : (
                <Button
                  variant="primary"
                  aria-label={words.connectNetwork(network.displayName)}
                  onClick={() => setChosen(network)}
                >
                  {words.connectShort}
                </Button>
              )
            }
          />
        ))}
        {profiles.map((one) => (
          <SandboxRow key={one.profile} {...one} onConnected={onClose} />
        ))}
      </Rows>
      <p>{words.sandboxHint}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
      </DialogActions>
    </Dialog>
  )
}

/** The ways to connect the account of a channel again. */
export function ReconnectDialog({ channel, onClose }: { channel: app.ManagedChannel; onClose: () => void }) {
  const { networks, unread } = useNetworks()
  const network = networks.find(({ provider }) => provider === channel.provider)
  return (
    <Dialog title={words.reconnectTitle(shownHandle(channel.provider, channel.handle))} onClose={onClose}>
      {unread}
      <p>{words.reconnectHint}</p>
      {network === undefined ? null : <ConnectAccount {...{ network, channel }} onConnected={onClose} />}
    </Dialog>
  )
}

function useNetworks() {
  const { workspaceId } = useSession().workspace
  const query = useQuery(read('listNetworks', { params: { workspaceId } }))
  return { networks: query.data ?? [], unread: <Unread of={query} lines={3} /> }
}

/** What the operator has to do before anybody can connect an account there. */
function Needs({ network: { displayName, needs } }: { network: app.Network }) {
  return (
    <span>
      {words.notSetUp(displayName)}{' '}
      {needs.map((name, place) => (
        <span key={name}>
          {place === 0 ? '' : words.and}
          <code>{name}</code>
        </span>
      ))}
      .
    </span>
  )
}

function waysOf({ signIn, fields }: app.Network): string {
  const secret = fields?.find((field) => field.secret)?.title
  const ways = [
    signIn ? words.bySigningIn : null,
    secret === undefined ? null : words.withSecret(words.fields[secret] ?? sentence(secret)),
  ]
  return capitalized(ways.filter((way) => way !== null).join(words.or))
}

/** A title within a sentence: what is written in capitals stays so. */
function sentence(title: string): string {
  return title
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ')
    .replace(/\burl\b/, 'URL')
}

type SandboxRowProps = (typeof profiles)[number] & { onConnected: () => void }

function SandboxRow({ profile, title, detail, onConnected }: SandboxRowProps) {
  const { workspaceId } = useSession().workspace
  const connect = useWrite('connectSandboxChannel')
  return (
    <Row
      icon={<FlaskConical aria-hidden />}
      title={title}
      detail={detail}
      actions={
        <Button
          variant="primary"
          aria-label={words.connectNetwork(title)}
          busy={connect.isPending}
          onClick={() =>
            connect.mutate(
              { params: { workspaceId }, body: { profile } },
              {
                onSuccess: ({ displayName }) => {
                  announce(words.networkConnected(displayName))
                  onConnected()
                },
              },
            )
          }
        >
          {words.connectShort}
        </Button>
      }
    >
      {connect.isError ? <ProblemNotice error={connect.error} /> : null}
    </Row>
  )
}
