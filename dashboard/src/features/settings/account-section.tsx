import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { ExternalLink, Monitor } from '../../ui/icons.ts'
import { read, useWrite } from '../../api/queries.ts'
import { showRelative } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Loading, ProblemNotice } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './settings.module.css'

/** How the person signs in, and where they are signed in. */
export function AccountSection() {
  const { name, email } = useSession().me.person
  return (
    <section className={styles.section} aria-labelledby="own">
      <h2 id="own">Your account</h2>
      <p>
        {name}, {email}
      </p>
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

const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const

/** `Firefox on Linux`; what is not known is shown as it was sent. */
function browserName(userAgent: string | null): string {
  if (userAgent === null) return 'A browser'
  const named = (list: readonly (readonly [RegExp, string])[]) =>
    list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [named(browsers), named(systems)]
  return browser === undefined ? userAgent : `${browser}${system === undefined ? '' : ` on ${system}`}`
}
