/*
 * What becomes of each table of the schema when a workspace is exported. A table that is added has to be answered for here: the walk in
 * workspace-tables.test.ts reads them from the schema.
 */

/** All rows of the workspace are in the file. */
const MOVED = 'moved'
/** Why nothing of it is. */
type Left = { readonly left: string }

const PERSONAL = {
  left: 'it is of people, who may be in other workspaces, too: they set a new password where they are new',
}
const INSTALLATION = { left: 'it is of the installation' }
const PRESENT = { left: 'it is what goes on just now' }
const LINK = { left: 'its links lead to the installation that made them' }

export const workspaceTables: Readonly<Record<string, typeof MOVED | Left>> = {
  workspace: MOVED,
  member: MOVED,
  agent_key: MOVED,
  oauth_grant: MOVED,
  channel: MOVED,
  channel_group: MOVED,
  workspace_freeze: MOVED,
  media_item: MOVED,
  ai_generation: MOVED,
  post: MOVED,
  post_label: MOVED,
  post_search: MOVED,
  unindexed_post: MOVED,
  destination: MOVED,
  part: MOVED,
  attempt: MOVED,
  network_draft: MOVED,
  late_post: MOVED,
  series: MOVED,
  series_occurrence: MOVED,
  template: MOVED,
  approval: MOVED,
  approval_told: MOVED,
  bulk_run: MOVED,
  bulk_run_item: MOVED,
  outbox_event: MOVED,
  endpoint: MOVED,
  endpoint_secret: MOVED,
  delivery: MOVED,
  delivery_attempt: MOVED,
  notice_reader: MOVED,
  idempotency_record: MOVED,
  audit_entry: MOVED,

  person: { left: 'of each member the name and the address are in the file, and nothing that lets them in' },
  session: PERSONAL,
  ceremony: PERSONAL,
  totp: PERSONAL,
  recovery_code: PERSONAL,
  passkey: PERSONAL,
  person_identity: PERSONAL,
  reset_request: PERSONAL,
  throttle: PERSONAL,
  rate_count: PRESENT,
  invitation: LINK,
  one_time_link: LINK,
  connect_flow: LINK,
  mail: LINK,
  oauth_artifact: {
    left: 'tokens are those of the authorization server that issued them: apps are connected anew',
  },
  network_client: { left: 'a client is registered for the address of the installation' },
  channel_queue: { left: 'it is made with the channels' },
  publication: PRESENT,
  network_failure: PRESENT,
  network_outage: PRESENT,
  network_recovery: PRESENT,
  event_feed_start: { left: 'cursors are those of the installation' },
  notice: { left: 'what needs attention is looked for anew' },
  notice_position: INSTALLATION,
  media_file: { left: 'the file is stored anew, and noted as stored here' },
  media_place: INSTALLATION,
  installation: INSTALLATION,
  activity: INSTALLATION,
  audit_stream: INSTALLATION,
  worker: INSTALLATION,
  schema_migration: INSTALLATION,
}

/** The tables that are in the file. */
export const movedTables: ReadonlySet<string> = new Set(
  Object.entries(workspaceTables).flatMap(([table, fate]) => (fate === MOVED ? [table] : [])),
)
