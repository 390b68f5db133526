import { type NoticeKind, noticeKinds } from '@postrider/contract/names'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { read, useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Check } from '../../ui/field.tsx'
import { Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { canNotify, keepKinds, kindsIn, useBrowserKinds } from '../notices/browser-notices.ts'
import styles from './settings.module.css'
import { words } from './words.ts'

/** Of what a member is told while they are not looking, by mail and by this browser. */
export function NoticesSection() {
  const { workspace, me } = useSession()
  const { workspaceId, memberId, name } = workspace
  const notices = useQuery(read('readMyNotices', { params: { workspaceId } }))
  const change = useWrite('changeMyNotices')
  const here = kindsIn(useBrowserKinds(memberId))
  const [permission, setPermission] = useState(() => (canNotify() ? Notification.permission : null))
  const section = useRef<HTMLElement>(null)
  const isThere = notices.data !== undefined
  // A mail leads here.
  useEffect(() => {
    if (isThere && location.hash === '#notices') section.current?.scrollIntoView()
  }, [isThere])
  if (notices.data === undefined) return <Unread of={notices} lines={2} />
  const { hasMail, kinds } = notices.data

  async function switchBrowser(kind: NoticeKind, on: boolean): Promise<void> {
    if (on && Notification.permission !== 'granted') {
      const answer = await Notification.requestPermission()
      setPermission(answer)
      if (answer !== 'granted') return
    }
    keepKinds(memberId, on ? [...here, kind] : here.filter((one) => one !== kind))
    announce(words.notices.saved)
  }

  return (
    <section className={styles.section} aria-labelledby="notices" ref={section}>
      <h2 id="notices">{words.notices.title}</h2>
      <p>{words.notices.lead(name)}</p>
      <p>{hasMail ? words.notices.mailTo(me.person.email) : words.notices.noMail}</p>
      <p>{browserHint(permission, here.length > 0)}</p>
      {kinds.map(({ kind, mail }) => {
        const { title, hint } = words.notices.kinds[kind]
        return (
          <fieldset key={kind} className={styles.notice}>
            <legend>{title}</legend>
            <span>{hint(noticeKinds[kind].afterMinutes)}</span>
            <Check
              label={words.notices.mail}
              checked={hasMail && mail}
              disabled={!hasMail || change.isPending}
              onChange={(on) =>
                change.mutate(
                  { params: { workspaceId }, body: { kind, mail: on } },
                  { onSuccess: () => announce(words.notices.saved) },
                )
              }
            />
            <Check
              label={words.notices.browser}
              checked={permission === 'granted' && here.includes(kind)}
              disabled={permission === null}
              onChange={(on) => void switchBrowser(kind, on)}
            />
          </fieldset>
        )
      })}
      <WriteProblem error={change.error} />
    </section>
  )
}

function browserHint(permission: NotificationPermission | null, isOn: boolean): string {
  if (permission === null) return words.notices.browserCannot
  if (permission === 'denied') return words.notices.browserDenied
  if (permission === 'default' && isOn) return words.notices.browserAsksAgain
  return words.notices.browserHint
}
