import Type, { type Static } from 'typebox'
import { Labels } from './labels.ts'
import { operation } from './operation.ts'
import { DestinationStatusSchema, DryRun, listPosts, MOST_IN_BATCH, ReviewStatus } from './posts.ts'
import { Confirmed, exact, Id, Instant, nullable, Reference } from './schemas.ts'

/** How many posts one import makes at most. */
export const MOST_IMPORTED = 5_000

const IMPORT_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$'

export const ImportedPost = exact(
  {
    id: Type.String(),
    line: Type.Integer({ description: 'Its first line in the file.' }),
    reference: Reference,
    created: Type.Boolean({ description: 'False if the post already exists: it is not changed.' }),
    postId: Type.Union([Id, Type.Null()], { description: 'Null in a dry run.' }),
    text: Type.String({ description: 'The first 280 characters.' }),
    labels: Labels,
    reviewStatus: ReviewStatus,
    destinations: Type.Array(
      exact({ channelId: Id, status: DestinationStatusSchema, publishAt: nullable(Instant) }),
      { description: 'As created; empty if the post already exists.' },
    ),
  },
  { $id: 'ImportedPost' },
)
export type ImportedPost = Static<typeof ImportedPost>

export const PostImport = exact(
  { created: Type.Integer(), posts: Type.Array(ImportedPost, { description: 'In the order of the file.' }) },
  { $id: 'PostImport' },
)
export type PostImport = Static<typeof PostImport>

export const importPosts = operation({
  id: 'importPosts',
  at: 'POST /agent/v1/posts/import',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Import posts from a file',
  description: `Creates all posts of a CSV file or a plan (at most ${MOST_IMPORTED.toLocaleString('en')}), or none: \`errors\` names each refused row by its line. The \`reference\` of a post is the name of the import and its own \`id\`: sending the file again, even with more rows, creates nothing twice and changes nothing. Counts towards the rate limit as one write per ${MOST_IN_BATCH} posts begun; an import that starts within the limit is carried out, and what it is beyond the limit is missing from the rest of the minute.`,
  permission: 'posts:write',
  body: exact({
    confirmed: Confirmed,
    format: Type.Enum(['csv', 'plan'], {
      description: '`csv` has a header; `plan` is a plan for `postrider plan`, as YAML or JSON.',
    }),
    file: Type.String({ minLength: 1, maxLength: 6_000_000, description: 'The content of the file.' }),
    name: Type.Optional(
      Type.String({
        pattern: IMPORT_NAME,
        maxLength: 80,
        description: 'For CSV: the permanent name of the import. A plan has its own.',
        examples: ['autumn-2026'],
      }),
    ),
    channelIds: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'For posts that name no channels or channel groups.',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'The IANA time zone of local times; that of the workspace if omitted.',
      }),
    ),
    media: Type.Optional(
      Type.Record(Type.String(), Id, {
        description: 'Media items by their names or addresses in the file.',
      }),
    ),
    dryRun: Type.Optional(DryRun),
  }),
  bodyMebibytes: 8,
  idempotency: 'none',
  answer: { status: 200, schema: PostImport, description: 'The result of each post.' },
  problems: ['validation_failed', 'import_refused', 'idempotency_in_progress'],
  example: {
    confirmed: true,
    format: 'csv',
    name: 'autumn-2026',
    dryRun: true,
    channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
    file: 'id,text,publishAt\nfirst,Hello,2027-01-10T09:00\n',
  },
})

const { from, to, status, channelId, label } = listPosts.query.properties

export const exportPosts = operation({
  id: 'exportPosts',
  at: 'GET /agent/v1/posts/export',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Export posts to a file',
  description: `At most ${MOST_IMPORTED.toLocaleString('en')} posts with their results, as a file for \`importPosts\`. Each is named by its \`postId\`, so it is not created again. CSV has one row per channel; cells that a spreadsheet would read as formulas start with an apostrophe.`,
  permission: 'posts:read',
  query: exact({
    format: Type.Enum(['csv', 'yaml', 'json'], { description: '`yaml` and `json` are a plan.' }),
    plan: Type.Optional(
      Type.String({
        pattern: IMPORT_NAME,
        maxLength: 80,
        default: 'exported',
        description: 'The name of the plan. Its own posts keep their ids in it.',
      }),
    ),
    from,
    to,
    status,
    channelId,
    label,
  }),
  answer: {
    status: 200,
    schema: exact({ posts: Type.Integer(), file: Type.String({ description: 'The content of the file.' }) }),
    description: 'The file.',
  },
  problems: ['validation_failed', 'search_too_broad'],
})
