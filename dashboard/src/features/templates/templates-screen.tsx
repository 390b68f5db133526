import type { TemplateSummary } from '@postrider/contract'
import { Link } from '../../navigation.tsx'
import type { ReactNode } from 'react'
import { listNames } from '../../lib/list-names.ts'
import { useMay, useSession } from '../../session.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { LayoutTemplate } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Empty, Unread } from '../../ui/states.tsx'
import { Tag } from '../../ui/status.tsx'
import { usePlaceName } from '../channels/use-place-name.ts'
import styles from './templates.module.css'
import { useTemplates } from './use-templates.ts'
import { words } from './words.ts'

export function TemplatesScreen(): ReactNode {
  const mayWrite = useMay('posts:write')
  const { query, templates } = useTemplates()
  return (
    <Page title={words.title} lead={words.lead} actions={mayWrite ? <NewTemplate /> : null}>
      <Unread of={query} />
      {query.data !== undefined && templates.length === 0 ? (
        <Empty icon={<LayoutTemplate aria-hidden />} title={words.none}>
          {mayWrite ? <p>{words.noneHint}</p> : null}
        </Empty>
      ) : null}
      {templates.length === 0 ? null : (
        <Rows label={words.title}>
          {templates.map((template) => (
            <TemplateRow key={template.templateId} {...{ template, mayWrite }} />
          ))}
        </Rows>
      )}
    </Page>
  )
}

function NewTemplate() {
  const { workspaceId } = useSession().workspace
  return (
    <Link
      className={buttonClass('primary')}
      to="/w/$workspaceId/templates/$templateId"
      params={{ workspaceId, templateId: 'new' }}
    >
      {words.create}
    </Link>
  )
}

type TemplateRowProps = { template: TemplateSummary; mayWrite: boolean }

function TemplateRow({ template, mayWrite }: TemplateRowProps) {
  const { workspaceId } = useSession().workspace
  const placeName = usePlaceName()
  const { templateId, name, text, fields, channelIds, labels } = template
  const facts = [
    fields.length === 0 ? words.noFields : words.fields(listNames(fields, fields.length)),
    ...(channelIds.length === 0 ? [] : [listNames(channelIds.map(placeName))]),
  ]
  return (
    <Row
      title={
        <Link to="/w/$workspaceId/templates/$templateId" params={{ workspaceId, templateId }} dir="auto">
          {name}
        </Link>
      }
      tags={labels.map((label) => (
        <Tag key={label}>{label}</Tag>
      ))}
      detail={<span dir="auto">{text}</span>}
      actions={
        mayWrite ? (
          <Link
            className={buttonClass()}
            aria-label={words.useOf(name)}
            to="/w/$workspaceId/compose"
            params={{ workspaceId }}
            search={{ template: templateId }}
          >
            {words.use}
          </Link>
        ) : null
      }
    >
      <p className={styles.muted}>{facts.join(' · ')}</p>
    </Row>
  )
}
