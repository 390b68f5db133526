import type { CredentialLimits, CredentialLimitsInput } from '@postrider/contract'
import { noLimits } from '@postrider/contract/names'
import { readPolicy } from '../../edge/operations/approval-policy.ts'
import { readNetwork } from '../../edge/operations/credential-limits.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { storedName } from '../../platform/text/name-key.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'

/** Limits as they were sent, each of them checked; `at` is where in the request they stand. */
export async function readLimits(
  sql: Sql,
  workspaceId: string,
  sent: CredentialLimitsInput,
  at = '',
): Promise<CredentialLimits | Refusal<'validation_failed'>> {
  const wrong = (pointer: string, code: string, detail: string) =>
    refuse('validation_failed', detail, { errors: [{ pointer: `${at}${pointer}`, code, detail }] })
  const { channelIds = null, networks = null } = sent
  const label = sent.label == null ? null : storedName(sent.label)

  const read = networks?.map(readNetwork) ?? null
  const bad = read?.indexOf(null) ?? -1
  if (bad >= 0) {
    const detail = `"${networks?.[bad]}" is no network: give an address and the bits that count, such as 203.0.113.0/24 or 2001:db8::/32.`
    return wrong(`/networks/${bad}`, 'malformed', detail)
  }
  const known = new Set(await knownChannels(sql, workspaceId, channelIds ?? []))
  const unknown = channelIds?.findIndex((id) => !known.has(id)) ?? -1
  if (unknown >= 0) {
    const detail = `The workspace has no channel ${channelIds?.[unknown]}.`
    return wrong(`/channelIds/${unknown}`, 'channel_unknown', detail)
  }
  const approval = sent.approval == null ? null : readPolicy(sent.approval)
  const valid = read?.filter((network) => network !== null) ?? null
  return {
    ...noLimits,
    ...sent,
    approval,
    channelIds,
    label,
    networks: valid === null ? null : [...new Set(valid)],
  }
}

async function knownChannels(
  sql: Sql,
  workspaceId: string,
  channelIds: readonly string[],
): Promise<string[]> {
  if (channelIds.length === 0) return []
  const rows = await sql<{ id: string }[]>`
    select id from channel where workspace_id = ${workspaceId} and id = any(${[...channelIds]}::uuid[])`
  return rows.map(({ id }) => id)
}
