import type { app } from '@postrider/contract'
import { browserName } from '@postrider/contract/names'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { ExternalLink, Monitor } from '../../ui/icons.ts'
import { read, useWrite } from '../../api/queries.ts'
import { keepLanguage } from '../../lib/language.ts'
import { showRelative } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Field, TextField } from '../../ui/field.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Unread } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './settings.module.css'
import { words } from './words.ts'

/** How the person signs in, and where they are signed in. */
export function AccountSection() {
  const { personId, email } = useSession().me.person
  return (
    <section className={styles.section} aria-labelledby="own">
      <h2 id="own">{words.account}</h2>
      <p>{email}</p>
      <NameForm key={personId} />
      <PreferencesFields />
      <SecondFactors />
      <div>
        <a className={buttonClass()} href={new URL('account', document.baseURI).href}>
          <ExternalLink aria-hidden />
          {words.security}
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
        change.mutate({ body: { name: next } }, { onSuccess: () => announce(words.nameChanged(next)) })
      }}
    >
      <TextField
        label={words.yourName}
        hint={words.yourNameHint}
        error={fieldError(change.error, '/name')}
        autoComplete="name"
        value={typed}
        maxLength={100}
        onChange={setTyped}
      />
      {isAboutFields(change.error, ['/name']) ? null : <WriteProblem error={change.error} />}
      <div>
        <Button type="submit" busy={change.isPending} disabled={next === '' || next === name}>
          {words.saveName}
        </Button>
      </div>
    </form>
  )
}

const weekStarts = [
  ['', words.asBrowser],
  ['monday', words.monday],
  ['saturday', words.saturday],
  ['sunday', words.sunday],
] as const
const clocks = [
  ['', words.asBrowser],
  ['24h', words.clock24],
  ['12h', words.clock12],
] as const
/** Each by its own name, so that whoever chose the wrong one finds back. */
const languages = [
  ['', words.asBrowser],
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const

/** Language, and how calendars and clocks are shown, in every browser of the person. */
function PreferencesFields() {
  const { preferences } = useSession().me
  const change = useWrite('changeMyPreferences')
  const prefer = (changed: Partial<app.Preferences>) =>
    change.mutate(
      { body: { ...preferences, ...changed } },
      {
        onSuccess: () => {
          announce(words.preferencesSaved)
          if (changed.language !== undefined) keepLanguage(changed.language)
        },
      },
    )
  return (
    <>
      <Choice
        label={words.language}
        hint={words.languageHint}
        options={languages}
        value={preferences.language}
        busy={change.isPending}
        onChoose={(language) => prefer({ language })}
      />
      <Choice
        label={words.weekStart}
        options={weekStarts}
        value={preferences.weekStart}
        busy={change.isPending}
        onChoose={(weekStart) => prefer({ weekStart })}
      />
      <Choice
        label={words.clock}
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
  hint?: string
  /** The empty value stands for none. */
  options: readonly (readonly [value: Value | '', name: string])[]
  value: Value | null
  busy: boolean
  onChoose: (value: Value | null) => void
}

function Choice<Value extends string>({ label, hint, options, value, busy, onChoose }: ChoiceProps<Value>) {
  return (
    <Field label={label} hint={hint}>
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
  if (factors.data === undefined || passkeys.data === undefined)
    return <Unread of={factors.data === undefined ? factors : passkeys} lines={2} />
  const { authenticator, recoveryCodesLeft } = factors.data
  const keys = passkeys.data.map((passkey) => passkey.name)
  return (
    <dl className={styles.facts}>
      <dt>{words.authenticator}</dt>
      <dd>{authenticator ? words.authenticatorOn(recoveryCodesLeft) : words.authenticatorOff}</dd>
      <dt>{words.passkeys}</dt>
      <dd>{keys.length === 0 ? words.noPasskeys : keys.join(', ')}</dd>
    </dl>
  )
}

function Sessions() {
  const sessions = useQuery(read('listMySessions', {}))
  const endOthers = useWrite('endMyOtherSessions')
  if (sessions.data === undefined) return <Unread of={sessions} lines={2} />
  return (
    <>
      <h3>{words.sessionsTitle}</h3>
      <Rows label={words.sessions}>
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
              endOthers.mutate({}, { onSuccess: ({ ended }) => announce(words.signedOutElsewhere(ended)) })
            }
          >
            {words.signOutElsewhere}
          </Button>
        </div>
      )}
    </>
  )
}

function SessionRow({ session }: { session: app.SessionView }) {
  const { sessionId, current, address, userAgent, createdAt, seenAt } = session
  const { timeZone: zone } = useSession().workspace
  const end = useWrite('endMySession')
  const name = browserName(userAgent)
  return (
    <Row
      icon={<Monitor aria-hidden />}
      title={name}
      tags={current ? <Tag tone="green">{words.thisBrowser}</Tag> : null}
      detail={
        <>
          {address === null ? null : <span>{address}</span>}
          <span>{words.seen(showRelative(seenAt, zone))}</span>
          <span>{words.signedIn(showRelative(createdAt, zone))}</span>
        </>
      }
      actions={
        current ? undefined : (
          <Button
            aria-label={words.signOutOf(name)}
            busy={end.isPending}
            onClick={() => end.mutate({ params: { sessionId } })}
          >
            {words.signOut}
          </Button>
        )
      }
    >
      <WriteProblem error={end.error} />
    </Row>
  )
}
