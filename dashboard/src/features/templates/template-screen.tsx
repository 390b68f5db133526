import type { Template } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { navigate, useParams, useSearch } from '../../navigation.tsx'
import { type ReactNode, useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { read, readAnew, useWrite } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Unread } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { groupsOf } from '../channels/groups.ts'
import { useChannels } from '../channels/use-channels.ts'
import { usePlaceName } from '../channels/use-place-name.ts'
import { ChannelPicker } from '../composer/channel-picker.tsx'
import { type Draft, duplicateOf, emptyDraft } from '../composer/draft.ts'
import { PartsEditor } from '../composer/parts-editor.tsx'
import { LabelField } from '../labels/label-field.tsx'
import chips from '../labels/labels.module.css'
import { draftOfTemplate, fieldsOf, hasBrokenField, missingOf, templateOf } from './template-content.ts'
import styles from './templates.module.css'
import { words } from './words.ts'

const HERE = '/w/$workspaceId/templates/$templateId'

/** A template, or a new one, which may begin with what a post says. */
export function TemplateScreen(): ReactNode {
  const { workspaceId } = useSession().workspace
  const { templateId } = useParams(HERE)
  const { postId } = useSearch(HERE)
  const isNew = templateId === 'new'
  const template = useQuery({
    ...read('appReadTemplate', { params: { workspaceId, templateId } }),
    enabled: !isNew,
    // What is being edited must not change under the writer: a newer one is told when this one is saved.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  })
  const post = useQuery({
    ...read('appReadPost', { params: { workspaceId, postId: postId ?? '' } }),
    enabled: isNew && postId !== undefined,
  })
  if (!isNew && template.data !== undefined && template.isFetchedAfterMount)
    return <TemplateForm key={templateId} template={template.data} begin={draftOfTemplate(template.data)} />
  if (isNew && postId === undefined) return <TemplateForm template={null} begin={emptyDraft()} />
  if (isNew && post.data !== undefined)
    return <TemplateForm template={null} begin={duplicateOf(post.data, { state: 'draft' })} />
  return (
    <Page title={isNew ? words.create : words.template}>
      <Unread of={isNew ? post : template} />
    </Page>
  )
}

type TemplateFormProps = {
  /** Null for a new one. */
  template: Template | null
  begin: Draft
}

const noCounts = () => []

type ChosenGroupsProps = { draft: Draft; onChange: (draft: Draft) => void }

/** The groups that an agent has named: a post has the channels that each has by then. */
function ChosenGroups({ draft, onChange }: ChosenGroupsProps) {
  const { channels } = useChannels()
  const placeName = usePlaceName()
  const groups = groupsOf(channels).filter(({ groupId }) => draft.channelIds.includes(groupId))
  if (groups.length === 0) return null
  return (
    <ul className={chips.chips} aria-label={words.groups}>
      {groups.map(({ groupId }) => (
        <li key={groupId} className={chips.chip}>
          {placeName(groupId)}
          <Button
            variant="quiet"
            aria-label={words.removeGroup(placeName(groupId))}
            onClick={() =>
              onChange({ ...draft, channelIds: draft.channelIds.filter((one) => one !== groupId) })
            }
          >
            ×
          </Button>
        </li>
      ))}
    </ul>
  )
}

function TemplateForm({ template, begin }: TemplateFormProps) {
  const { workspaceId } = useSession().workspace
  const mayWrite = useMay('posts:write')
  const { channels } = useChannels()
  const [name, setName] = useState(template?.name ?? '')
  const [draft, setDraft] = useState(begin)
  const create = useWrite('appCreateTemplate', { leadsAway: true })
  const change = useWrite('appChangeTemplate', { leadsAway: true })
  const saving = template === null ? create : change
  const chosen = channels.filter(({ channelId }) => draft.channelIds.includes(channelId))
  const reached = chosen.length === 0 ? channels : chosen
  const fields = fieldsOf(draft.shared)
  const missing = missingOf(name, draft)

  function leave(said: string): void {
    announce(said)
    void readAnew({ queryKey: ['appListTemplates'] })
    void navigate({ to: '/w/$workspaceId/templates', params: { workspaceId } })
  }
  function save(): void {
    const content = templateOf(name, draft)
    const options = { onSuccess: () => leave(words.saved(content.name)) }
    if (template === null) {
      create.mutate({ params: { workspaceId }, body: { confirmed: true, ...content } }, options)
      return
    }
    const { templateId, editToken } = template
    const body = { confirmed: true, editToken, ...content } as const
    change.mutate({ params: { workspaceId, templateId }, body }, options)
  }
  return (
    <Page
      title={template?.name ?? words.create}
      actions={mayWrite && template !== null ? <Remove template={template} onDone={leave} /> : null}
    >
      <fieldset className={styles.form} disabled={!mayWrite || saving.isPending}>
        <TextField
          label={words.name}
          value={name}
          maxLength={100}
          error={fieldError(saving.error, '/name')}
          onChange={setName}
        />
        <ChannelPicker draft={draft} post={null} onChange={setDraft} />
        <ChosenGroups draft={draft} onChange={setDraft} />
        <div className={styles.parts}>
          <PartsEditor
            content={draft.shared}
            counts={noCounts}
            isChecking={false}
            providers={chosen.map(({ provider }) => provider)}
            mayComment={reached.some(({ capabilities }) => capabilities.firstComment)}
            onChange={(shared) => setDraft({ ...draft, shared })}
          />
          <p className={styles.muted}>{words.fieldHint}</p>
          <p role="status">
            {hasBrokenField(draft.shared)
              ? words.brokenField
              : fields.length === 0
                ? ''
                : words.fields(listNames(fields, fields.length))}
          </p>
        </div>
        <LabelField
          addsWhenLeft
          labels={draft.labels ?? []}
          onChange={(labels) => setDraft({ ...draft, labels })}
        />
        {isAboutFields(saving.error, ['/name']) ? null : <WriteProblem error={saving.error} />}
        {mayWrite ? (
          <div className={styles.buttons}>
            <Button
              variant="primary"
              busy={saving.isPending}
              disabled={missing !== null}
              aria-describedby="template-says"
              onClick={save}
            >
              {words.save}
            </Button>
            <p className={styles.muted} id="template-says" role="status">
              {missing === null ? '' : words.missing[missing]}
            </p>
          </div>
        ) : null}
      </fieldset>
    </Page>
  )
}

type RemoveProps = { template: Template; onDone: (said: string) => void }

function Remove({ template: { templateId, name }, onDone }: RemoveProps) {
  const { workspaceId } = useSession().workspace
  const [asking, setAsking] = useState(false)
  const remove = useWrite('appDeleteTemplate', { leadsAway: true })
  return (
    <>
      <Button onClick={() => setAsking(true)}>{words.remove}</Button>
      {asking ? (
        <ConfirmDialog
          title={words.removeTitle}
          act={words.removeAct}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() =>
            remove.mutate(
              { params: { workspaceId, templateId } },
              { onSuccess: () => onDone(words.removed(name)) },
            )
          }
          onClose={() => setAsking(false)}
        >
          {words.removeHint}
        </ConfirmDialog>
      ) : null}
    </>
  )
}
