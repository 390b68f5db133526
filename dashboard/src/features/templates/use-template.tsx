import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { read } from '../../api/queries.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { LayoutTemplate } from '../../ui/icons.ts'
import { Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { groupsOf } from '../channels/groups.ts'
import { useChannels } from '../channels/use-channels.ts'
import { type Draft, isBlank } from '../composer/draft.ts'
import { withTemplate } from './template-content.ts'
import styles from './templates.module.css'
import { useTemplates } from './use-templates.ts'
import { words } from './words.ts'

type UseTemplateProps = {
  draft: Draft
  /** The one that the writer came from. */
  chosen: string | null
  onChange: (draft: Draft) => void
}

/** The way to a text by a template, where there is one. */
export function UseTemplate({ draft, chosen, onChange }: UseTemplateProps): ReactNode {
  const { templates } = useTemplates()
  const [open, setOpen] = useState(chosen !== null && isBlank(draft))
  if (templates.length === 0) return null
  return (
    <div>
      <Button onClick={() => setOpen(true)}>
        <LayoutTemplate aria-hidden />
        {words.choose}
      </Button>
      {open ? <TemplateDialog {...{ draft, chosen, onChange }} onClose={() => setOpen(false)} /> : null}
    </div>
  )
}

type TemplateDialogProps = UseTemplateProps & { onClose: () => void }

function TemplateDialog({ draft, chosen, onChange, onClose }: TemplateDialogProps) {
  const { workspaceId } = useSession().workspace
  const { templates } = useTemplates()
  const { channels } = useChannels()
  const isThere = templates.some((one) => one.templateId === chosen)
  const [templateId, setTemplate] = useState((isThere ? chosen : templates[0]?.templateId) ?? '')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const template = useQuery(read('appReadTemplate', { params: { workspaceId, templateId } }))
  const fields = template.data?.fields ?? []
  const isFilled = fields.every((field) => (values[field] ?? '').trim() !== '')

  function use(): void {
    if (template.data === undefined) return
    const channelIds = channels.flatMap(({ channelId, enabled }) => (enabled ? [channelId] : []))
    const before = draft
    onChange(withTemplate(draft, template.data, values, { groups: groupsOf(channels), channelIds }))
    announce(words.used(template.data.name), { label: words.undo, run: () => onChange(before) })
    onClose()
  }
  return (
    <Dialog title={words.chooseTitle} onClose={onClose}>
      <form
        className={styles.values}
        onSubmit={(event) => {
          event.preventDefault()
          if (isFilled) use()
        }}
      >
        <Field label={words.template}>
          {(control) => (
            <select {...control} value={templateId} onChange={({ target }) => setTemplate(target.value)}>
              {templates.map((one) => (
                <option key={one.templateId} value={one.templateId}>
                  {one.name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Unread of={template} lines={2} />
        {fields.map((field) => (
          <TextArea
            key={field}
            label={field}
            rows={1}
            value={values[field] ?? ''}
            onChange={(value) => setValues({ ...values, [field]: value })}
          />
        ))}
        {isBlank(draft) ? null : <p className={styles.muted}>{words.replaces}</p>}
        <DialogActions>
          <Button onClick={onClose}>{words.close}</Button>
          <Button type="submit" variant="primary" disabled={template.data === undefined || !isFilled}>
            {words.act}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
