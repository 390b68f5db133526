import type { ReactNode } from 'react'
import { homeAddress, useWrite } from '../../api/queries.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './settings.module.css'
import { words } from './words.ts'

/** What a person sees who is signed in, and a member of no workspace. */
export function NoWorkspaceScreen(): ReactNode {
  return <Outside title={words.noWorkspace} lead={words.noWorkspaceHint} />
}

/** What a person sees at the address of a workspace that they are no member of, or no longer. */
export function OtherWorkspaceScreen({
  others,
}: {
  others: readonly { workspaceId: string; name: string }[]
}) {
  return (
    <Outside title={words.notMember} lead={words.notMemberHint}>
      {others.map(({ workspaceId, name }) => (
        <a key={workspaceId} className={buttonClass('primary')} href={homeAddress(`w/${workspaceId}/today`)}>
          {words.open(name)}
        </a>
      ))}
    </Outside>
  )
}

type OutsideProps = { title: string; lead: string; children?: ReactNode }

/** A page without a workspace around it: where to go on, and the way out. */
function Outside({ title, lead, children }: OutsideProps) {
  const signOut = useWrite('signOut', { leadsAway: true })
  return (
    <main className={styles.outside}>
      <p className={styles.brand}>
        <img src="/icon.svg" alt="" />
        {words.product}
      </p>
      <Page title={title} lead={lead}>
        <div className={styles.actions}>
          {children}
          <a className={buttonClass()} href={homeAddress('account')}>
            {words.yourAccount}
          </a>
          <Button
            busy={signOut.isPending}
            onClick={() => signOut.mutate({}, { onSuccess: () => location.assign(homeAddress('sign-in')) })}
          >
            {words.signOut}
          </Button>
        </div>
        <WriteProblem error={signOut.error} />
      </Page>
    </main>
  )
}
