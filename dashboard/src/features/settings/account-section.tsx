import type { app } from '@postrider/contract'
import { browserName } from '@postrider/contract/names'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { ExternalLink, Monitor } from '../../ui/icons.ts'
import { read, useWrite } from '../../api/queries.ts'
import { showRelative } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './settings.module.css'

/** How the person signs in, and where they are signed in. */
export function AccountSection() {
  const { personId, email } = useSession().me.person
  return (
    <section className={styles.section} aria-labelledby="own">
      <h2 id="own">Your account</h2>
      <p>{email}</p>
      <NameForm key={personId} />
      <PreferencesFields />
      <SecondFactors />
      <div>
        <a className={buttonClass()} href={new URL('account', document.baseURI).href}>
          <ExternalLink aria-hidden />
          Password and second factors
        </a>
      </div>
      <Sessions />
    </section>
  )
}

function NameForm() {
  const { name } = useSession().me.person
  const [typed, setTyped] = useState(name)
  const change = useWrite('changeMyName')
  const next = typed.trim()
  return (
    <form
      className={styles.list}
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ body: { name: next } }, { onSuccess: () => announce(`Your name is ${next} now.`) })
      }}
    >
      <TextField
        label="Your name"
        hint="Others see it, in every workspace."
        error={fieldError(change.error, '/name')}
        autoComplete="name"
        value={typed}
        maxLength={100}
        onChange={setTyped}
      />
      {isAboutFields(change.error, ['/name']) ? null : <WriteProblem error={change.error} />}
      <div>
        <Button type="submit" busy={change.isPending} disabled={next === '' || next === name}>
          Save your name
        </Button>
      </div>
    </form>
  )
}

const weekStarts = [
  ['', 'As this browser has it'],
  ['monday', 'Monday'],
  ['saturday', 'Saturday'],
  ['sunday', 'Sunday'],
] as const
const clocks = [
  ['', 'As this browser has it'],
  ['24h', '24 hours (18:00)'],
  ['12h', '12 hours (6:00 PM)'],
] as const

/** How calendars and clocks are shown, in every browser of the person. */
function PreferencesFields() {
  const { preferences } = useSession().me
  const change = useWrite('changeMyPreferences')
  const prefer = (changed: Partial<app.Preferences>) =>
    change.mutate(
      { body: { ...preferences, ...changed } },
      { onSuccess: () => announce('Your settings are saved.') },
    )
  return (
    <>
      <Choice
        label="Week starts on"
        options={weekStarts}
        value={preferences.weekStart}
        busy={change.isPending}
        onChoose={(weekStart) => prefer({ weekStart })}
      />
      <Choice
        label="Clock"
        options={clocks}
        value={preferences.clock}
        busy={change.isPending}
        onChoose={(clock) => prefer({ clock })}
      />
      <WriteProblem error={change.error} />
    </>
  )
}

type ChoiceProps<Value extends string> = {
  label: string
  /** The empty value stands for none. */
  options: readonly (readonly [value: Value | '', name: string])[]
  value: Value | null
  busy: boolean
  onChoose: (value: Value | null) => void
}

function Choice<Value extends string>({ label, options, value, busy, onChoose }: ChoiceProps<Value>) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          disabled={busy}
          value={value ?? ''}
          onChange={({ target }) => {
            const chosen = options.find(([one]) => one === target.value)?.[0] ?? ''
            onChoose(chosen === '' ? null : chosen)
          }}
        >
          {options.map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function SecondFactors() {
  const factors = useQuery(read('readSecondFactors', {}))
  const passkeys = useQuery(read('listPasskeys', {}))
  if (factors.isError || passkeys.isError) return <ProblemNotice error={factors.error ?? passkeys.error} />
  if (factors.isPending || passkeys.isPending) return <Loading lines={2} />
  const { authenticator, recoveryCodesLeft } = factors.data
  const keys = passkeys.data.map((passkey) => passkey.name)
  return (
    <dl className={styles.facts}>
      <dt>Authenticator app</dt>
      <dd>{authenticator ? `on, ${recoveryCodesLeft} recovery codes left` : 'off'}</dd>
      <dt>Passkeys</dt>
      <dd>{keys.length === 0 ? 'none' : keys.join(', ')}</dd>
    </dl>
  )
}

function Sessions() {
  const sessions = useQuery(read('listMySessions', {}))
  const endOthers = useWrite('endMyOtherSessions')
  if (sessions.isPending) return <Loading lines={2} />
  if (sessions.isError)
    return <ProblemNotice error={sessions.error} onRetry={() => void sessions.refetch()} />
  return (
    <>
      <h3>Where you are signed in</h3>
      <Rows label="Sessions">
        {sessions.data.map((session) => (
          <SessionRow key={session.sessionId} session={session} />
        ))}
      </Rows>
      <WriteProblem error={endOthers.error} />
      {sessions.data.length < 2 ? null : (
        <div>
          <Button
            busy={endOthers.isPending}
            onClick={() =>
              endOthers.mutate(
                {},
                { onSuccess: ({ ended }) => announce(`Signed out in ${ended} other places.`) },
              )
            }
          >
            Sign out everywhere else
          </Button>
        </div>
      )}
    </>
  )
}

function SessionRow({ session }: { session: app.SessionView }) {
  const { sessionId, current, address, userAgent, createdAt, seenAt } = session
  const end = useWrite('endMySession')
  const name = browserName(userAgent)
  return (
    <Row
      icon={<Monitor aria-hidden />}
      title={name}
      tags={current ? <Tag tone="green">This browser</Tag> : null}
      detail={
        <>
          {address === null ? null : <span>{address}</span>}
          <span>seen {showRelative(seenAt)}</span>
          <span>signed in {showRelative(createdAt)}</span>
        </>
      }
      actions={
        current ? undefined : (
          <Button
            aria-label={`Sign out ${name}`}
            busy={end.isPending}
            onClick={() => end.mutate({ params: { sessionId } })}
          >
            Sign out
          </Button>
        )
      }
    >
      <WriteProblem error={end.error} />
    </Row>
  )
}
