import type { app } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { PolicyFields } from '../credentials/policy-fields.tsx'
import { AccountSection } from './account-section.tsx'
import { LinkTagsSection } from './link-tags-section.tsx'
import { MembershipSection } from './membership-section.tsx'
import { NoticesSection } from './notices-section.tsx'
import { NewWorkspaceSection } from './new-workspace-section.tsx'
import styles from './settings.module.css'
import { TimeZoneField } from './time-zone-field.tsx'
import { words } from './words.ts'

const FIELDS = ['/name', '/timeZone', '/allowedHours', '/approvalPolicy']

export function SettingsScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const workspace = useQuery(read('readWorkspace', { params: { workspaceId } }))
  return (
    <Page title={words.title} lead={words.lead}>
      <Unread of={workspace} />
      {workspace.data === undefined ? null : <WorkspaceForm key={workspaceId} workspace={workspace.data} />}
      {workspace.data === undefined ? null : (
        <LinkTagsSection key={`links-${workspaceId}`} workspace={workspace.data} />
      )}
      <MembershipSection key={`membership-${workspaceId}`} />
      <NoticesSection key={`notices-${workspaceId}`} />
      <NewWorkspaceSection />
      <AccountSection />
    </Page>
  )
}

function WorkspaceForm({ workspace }: { workspace: app.WorkspaceView }) {
  const { workspaceId } = workspace
  const mayManage = useMay('workspace:manage')
  const [name, setName] = useState(workspace.name)
  const [timeZone, setTimeZone] = useState(workspace.timeZone)
  const [hours, setHours] = useState(String(workspace.allowedHours))
  const [approvalPolicy, setApprovalPolicy] = useState(workspace.approvalPolicy)
  const update = useWrite('updateWorkspace')
  return (
    <form
      className={styles.section}
      aria-labelledby="workspace"
      onSubmit={(event) => {
        event.preventDefault()
        update.mutate(
          {
            params: { workspaceId },
            body: { name: name.trim(), timeZone, allowedHours: Number(hours), approvalPolicy },
          },
          { onSuccess: () => announce(words.saved) },
        )
      }}
    >
      <h2 id="workspace">{words.workspace}</h2>
      <TextField
        label={words.name}
        error={fieldError(update.error, '/name')}
        disabled={!mayManage}
        value={name}
        maxLength={100}
        onChange={setName}
      />
      <TimeZoneField
        disabled={!mayManage}
        value={timeZone}
        error={fieldError(update.error, '/timeZone')}
        onChange={setTimeZone}
      />
      <TextField
        label={words.deadline}
        hint={words.deadlineHint}
        error={fieldError(update.error, '/allowedHours')}
        type="number"
        min="0.1"
        max="8760"
        step="any"
        disabled={!mayManage}
        value={hours}
        onChange={setHours}
      />
      <h3>{words.agentApproval}</h3>
      <p>{words.agentApprovalHint}</p>
      <PolicyFields
        policy={approvalPolicy}
        disabled={!mayManage}
        errorOf={(member) => fieldError(update.error, `/approvalPolicy/${member}`)}
        onChange={setApprovalPolicy}
      />
      {isAboutFields(update.error, FIELDS) ? null : <WriteProblem error={update.error} />}
      {mayManage ? (
        <div>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={name.trim() === ''}>
            {words.save}
          </Button>
        </div>
      ) : (
        <p>{words.readOnly}</p>
      )}
    </form>
  )
}
