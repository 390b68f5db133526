import { useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { homeAddress, useWrite } from '../../api/queries.ts'
import { viewerZone } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import styles from './settings.module.css'
import { TimeZoneField } from './time-zone-field.tsx'
import { words } from './words.ts'

/** The way to another workspace, for people who own one. */
export function NewWorkspaceSection() {
  const { workspaces } = useSession().me
  const [creating, setCreating] = useState(false)
  if (!workspaces.some(({ role }) => role === 'owner')) return null
  return (
    <section className={styles.section} aria-labelledby="another">
      <h2 id="another">{words.otherWorkspace}</h2>
      <p>{words.otherWorkspaceHint}</p>
      <div>
        <Button onClick={() => setCreating(true)}>{words.createWorkspace}</Button>
      </div>
      {creating ? <NewWorkspaceDialog onClose={() => setCreating(false)} /> : null}
    </section>
  )
}

function NewWorkspaceDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [timeZone, setTimeZone] = useState(viewerZone)
  const create = useWrite('createWorkspace', { leadsAway: true })
  return (
    <Dialog title={words.createWorkspace} onClose={onClose}>
      <form
        className={styles.list}
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate(
            { body: { name: name.trim(), timeZone } },
            { onSuccess: ({ workspaceId }) => location.assign(homeAddress(`w/${workspaceId}/today`)) },
          )
        }}
      >
        <TextField
          label={words.name}
          error={fieldError(create.error, '/name')}
          value={name}
          maxLength={100}
          onChange={setName}
        />
        <TimeZoneField
          value={timeZone}
          error={fieldError(create.error, '/timeZone')}
          onChange={setTimeZone}
        />
        {isAboutFields(create.error, ['/name', '/timeZone']) ? null : <WriteProblem error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" variant="primary" busy={create.isPending} disabled={name.trim() === ''}>
            {words.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
