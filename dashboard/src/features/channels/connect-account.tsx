import type { app } from '@postrider/contract'
import { useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './channels.module.css'
import { shownHandle } from './network-name.ts'
import { words } from './words.ts'

type ConnectAccountProps = {
  network: app.Network
  /** The channel that is connected again; null for any account. */
  channel: app.ManagedChannel | null
  onConnected: () => void
}

/** The ways to connect an account of a network: signing in there, and what its owner copies from it. */
export function ConnectAccount({ network, channel, onConnected }: ConnectAccountProps) {
  const { displayName, fields, signIn } = network
  return (
    <>
      {signIn ? <SignIn {...{ network, channel }} /> : null}
      {signIn && fields !== null ? <p className={styles.or}>{words.withoutLeaving}</p> : null}
      {fields === null ? null : <ConnectForm {...{ fields, network, channel, onConnected }} />}
      {signIn || fields !== null ? null : <p>{words.cantConnect(displayName)}</p>}
    </>
  )
}

function SignIn({ network, channel }: Omit<ConnectAccountProps, 'onConnected'>) {
  const { workspaceId } = useSession().workspace
  const { provider, displayName } = network
  const link = useWrite('createConnectLink')
  return (
    <div className={styles.way}>
      <p>{words.signInHint(displayName)}</p>
      <div>
        <Button
          variant="primary"
          busy={link.isPending || link.isSuccess}
          onClick={() =>
            link.mutate(
              { params: { workspaceId }, body: { provider, channelId: channel?.channelId ?? null } },
              { onSuccess: ({ url }) => location.assign(url) },
            )
          }
        >
          {words.signInAt(displayName)}
        </Button>
      </div>
      <WriteProblem error={link.error} />
    </div>
  )
}

type ConnectFormProps = ConnectAccountProps & { fields: NonNullable<app.Network['fields']> }

function ConnectForm({ fields, network, channel, onConnected }: ConnectFormProps) {
  const { workspaceId } = useSession().workspace
  const { provider } = network
  const [values, setValues] = useState<Record<string, string>>(
    channel === null ? {} : { handle: channel.handle },
  )
  const connect = useWrite('connectChannel')
  const pointers = fields.map(({ name }) => `/fields/${name}`)
  const given = fields.flatMap(({ name }) => {
    const value = values[name]?.trim() ?? ''
    return value === '' ? [] : [[name, value] as const]
  })
  const missing = fields.some(({ name, required }) => required && !given.some(([one]) => one === name))

  function send(): void {
    connect.mutate(
      {
        params: { workspaceId },
        body: { provider, channelId: channel?.channelId ?? null, fields: Object.fromEntries(given) },
      },
      {
        onSuccess: ({ handle, reconnected, resumed }) => {
          const shown = shownHandle(provider, handle)
          const waiting = resumed === 0 ? '' : ` ${words.resumed(resumed)}`
          announce(`${reconnected ? words.isReconnected(shown) : words.isConnected(shown)}${waiting}`)
          onConnected()
        },
      },
    )
  }

  return (
    <form
      className={styles.way}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {fields.map(({ name, title, description, required, secret, example }) => (
        <Field
          key={name}
          label={required ? fieldWords(title) : words.optional(fieldWords(title))}
          hint={capitalized(fieldWords(description))}
          error={fieldError(connect.error, `/fields/${name}`)}
        >
          {(control) => (
            <input
              {...control}
              type={secret ? 'password' : 'text'}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder={example}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      {isAboutFields(connect.error, pointers) ? null : <WriteProblem error={connect.error} />}
      <div>
        <Button type="submit" variant="primary" busy={connect.isPending} disabled={missing}>
          {words.connectShort}
        </Button>
      </div>
    </form>
  )
}

/** What the server says of a field, in the language of the page. */
export function fieldWords(english: string): string {
  return words.fields[english] ?? english
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
