import type { ReactNode } from 'react'
import { useWrite } from '../../api/queries.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './settings.module.css'

/** What a person sees who is signed in, and a member of no workspace. */
export function NoWorkspaceScreen(): ReactNode {
  const signOut = useWrite('signOut', { leadsAway: true })
  return (
    <main>
      <Page
        title="You’re not in a workspace yet"
        lead="Ask an owner or admin for an invitation. Its link opens the workspace."
      >
        <div className={styles.actions}>
          <a className={buttonClass()} href={new URL('account', document.baseURI).href}>
            Your account
          </a>
          <Button
            busy={signOut.isPending}
            onClick={() =>
              signOut.mutate({}, { onSuccess: () => location.assign(new URL('sign-in', document.baseURI)) })
            }
          >
            Sign out
          </Button>
        </div>
        <WriteProblem error={signOut.error} />
      </Page>
    </main>
  )
}
