import { FlaskConical } from 'lucide-react'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'

const profiles = [
  { profile: 'short', title: 'Sandbox, short posts', detail: 'Up to 280 characters, with threads.' },
  { profile: 'professional', title: 'Sandbox, long posts', detail: 'Up to 3,000 characters.' },
] as const

/** What can be connected, and how. */
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const connect = useWrite('connectSandboxChannel')
  return (
    <Dialog title="Connect a channel" onClose={onClose} wide>
      <p>
        The sandbox network comes with this server. It is reachable from this machine only, and takes posts as
        the real networks do.
      </p>
      <Rows label="Networks">
        {profiles.map(({ profile, title, detail }) => (
          <Row
            key={profile}
            icon={<FlaskConical aria-hidden />}
            title={title}
            detail={detail}
            actions={
              <Button
                variant="primary"
                aria-label={`Connect ${title}`}
                busy={connect.isPending}
                onClick={() =>
                  connect.mutate(
                    { params: { workspaceId }, body: { profile } },
                    {
                      onSuccess: ({ displayName }) => {
                        announce(`${displayName} is connected.`)
                        onClose()
                      },
                    },
                  )
                }
              >
                Connect
              </Button>
            }
          />
        ))}
      </Rows>
      <p>
        An account of Bluesky is connected on the server, by{' '}
        <code>npm run postrider -- channel add bluesky</code>.
      </p>
      {connect.isError ? <ProblemNotice error={connect.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}
