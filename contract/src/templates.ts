import Type, { type Static } from 'typebox'
import { EditToken } from './commands.ts'
import { ChannelIds, ofPost, wholeContent } from './content.ts'
import { Labels } from './labels.ts'
import { operation } from './operation.ts'
import { Confirmed, exact, Id, Instant, line } from './schemas.ts'

/** How many templates a workspace may have. */
export const MOST_TEMPLATES = 200

const Name = line(100, { examples: ['Release'] })

const content = { ...wholeContent, channelIds: Type.Optional(ChannelIds), ...ofPost }

const heading = {
  templateId: Id,
  name: Type.String(),
  fields: Type.Array(Type.String(), { description: 'The fields in its texts, in order.' }),
  editToken: Type.String({ description: 'Needed for changes.' }),
  createdAt: Instant,
  updatedAt: Instant,
}

export const Template = exact(
  { ...heading, ...content },
  { $id: 'Template', description: 'Texts with fields, to create posts from.' },
)
export type Template = Static<typeof Template>

export const TemplateSummary = exact(
  {
    ...heading,
    text: Type.String({ description: 'The first 280 characters.' }),
    channelIds: Type.Array(Id),
    labels: Labels,
  },
  { $id: 'TemplateSummary' },
)
export type TemplateSummary = Static<typeof TemplateSummary>

const common = { tag: 'Templates', asks: 'agent or member' } as const
const write = { ...common, permission: 'posts:write' } as const
const read = { ...common, permission: 'posts:read' } as const
const params = exact({ templateId: Id })
const answer = { status: 200, schema: Template, description: 'The template.' } as const
const writeProblems = ['validation_failed', 'already_exists', 'credential_limit'] as const
const given = { confirmed: Confirmed, name: Name, ...content }
const example = { confirmed: true, name: 'Release', text: '{{product}} {{version}} is out.' }

export const createTemplate = operation({
  ...write,
  idempotency: 'header',
  id: 'createTemplate',
  at: 'POST /agent/v1/templates',
  summary: 'Create a template',
  description:
    'In its texts, `{{name}}` is a field. Create posts from it with `template`. Names are unique, regardless of case.',
  body: exact(given),
  answer: { ...answer, status: 201 },
  problems: writeProblems,
  example,
})

export const listTemplates = operation({
  ...read,
  id: 'listTemplates',
  at: 'GET /agent/v1/templates',
  summary: 'List templates',
  description: `By name, at most ${MOST_TEMPLATES}.`,
  answer: {
    status: 200,
    schema: exact({ templates: Type.Array(TemplateSummary) }),
    description: 'The templates.',
  },
  problems: [],
})

export const readTemplate = operation({
  ...read,
  id: 'readTemplate',
  at: 'GET /agent/v1/templates/{templateId}',
  summary: 'Read a template',
  description: 'With its whole content.',
  params,
  answer,
  problems: ['not_found'],
})

export const changeTemplate = operation({
  ...write,
  idempotency: 'header',
  id: 'changeTemplate',
  at: 'POST /agent/v1/templates/{templateId}',
  summary: 'Change a template',
  description: 'Replaces the whole template. Posts made from it are not changed.',
  params,
  body: exact({ editToken: EditToken, ...given }),
  answer,
  problems: [...writeProblems, 'not_found', 'stale_edit_token'],
  example: { ...example, name: 'New release', editToken: 'X1nVf0m0n1X1nVf0m0n1' },
})

export const deleteTemplate = operation({
  ...write,
  idempotency: 'none',
  id: 'deleteTemplate',
  at: 'DELETE /agent/v1/templates/{templateId}',
  summary: 'Delete a template',
  description: 'Posts made from it are kept.',
  params,
  answer: {
    status: 200,
    schema: exact({ templateId: Id, deletedAt: Instant }),
    description: 'The template is deleted.',
  },
  problems: ['not_found', 'credential_limit'],
})
