import {
  isMailedTo,
  type NoticeKind,
  noticeKindNames,
  noticeKinds,
  type Role,
  roleHas,
} from '@postrider/contract/names'
import type { EmailAddress } from '../../platform/text/email-address.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { Language } from '../../platform/text/language.ts'
import { canSignIn } from '../../people/sign-in/link/link-store.ts'

/** What a member chose, by kind; what is not in it is as their role has it. */
type Choices = { readonly [kind in NoticeKind]?: boolean }

/** The kinds that a member with this role may be told of, and whether they are mailed. */
export function mailChoices(role: Role, choices: Choices): { kind: NoticeKind; mail: boolean }[] {
  return noticeKindNames
    .filter((kind) => roleHas(role, noticeKinds[kind].right))
    .map((kind) => ({ kind, mail: choices[kind] ?? isMailedTo(role, kind) }))
}

export async function choicesOf(sql: Sql, workspaceId: string, memberId: string): Promise<Choices> {
  const [row] = await sql<{ choices: Choices }[]>`
    select choices from notice_reader where workspace_id = ${workspaceId} and member_id = ${memberId}`
  return row?.choices ?? {}
}

/** Two kinds that are changed at the same time are both kept. What came before the first choice is not mailed. */
export async function choose(
  tx: Tx,
  { workspaceId, memberId }: { workspaceId: string; memberId: string },
  kind: NoticeKind,
  mail: boolean,
): Promise<void> {
  await tx`
    insert into notice_reader as r (workspace_id, member_id, choices, told_to)
    select ${workspaceId}, ${memberId}, jsonb_build_object(${kind}::text, ${mail}::boolean), last_seq
    from   notice_position
    on     conflict (workspace_id, member_id) do update
    set    choices = r.choices || excluded.choices`
}

/** A member to whom mail may be written. */
export type Reader = {
  readonly memberId: string
  readonly personId: string
  readonly email: EmailAddress
  readonly language: Language
  readonly workspaceName: string
  readonly timeZone: string
  /** What they are mailed about. */
  readonly kinds: readonly NoticeKind[]
}

/** The members of a workspace who have a way to sign in, or one of them. */
export async function mailReaders(
  sql: Sql,
  workspaceId: string,
  memberId: string | null = null,
): Promise<Reader[]> {
  const rows = await sql<(Omit<Reader, 'kinds'> & { role: Role; choices: Choices })[]>`
    select m.id as "memberId", p.id as "personId", p.email, w.name as "workspaceName", w.time_zone as "timeZone", m.role,
           coalesce(r.choices, '{}') as choices,
           -- Where a person has chosen none, the first owner who has says how this workspace reads.
           coalesce(p.language,
                    (select o.language
                     from   member own
                     join   person o on o.id = own.person_id
                     where  own.workspace_id = m.workspace_id and own.removed_at is null and own.role = 'owner'
                     and    o.language is not null
                     order  by own.id
                     limit  1), 'en') as language
    from   member m
    join   workspace w on w.id = m.workspace_id
    join   person p on p.id = m.person_id
    left   join notice_reader r on r.workspace_id = m.workspace_id and r.member_id = m.id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null and (${memberId}::uuid is null or m.id = ${memberId})
    and    ${canSignIn(sql)}
    order  by m.id`
  return rows.map(({ role, choices, ...reader }) => ({
    ...reader,
    kinds: mailChoices(role, choices).flatMap(({ kind, mail }) => (mail ? [kind] : [])),
  }))
}

/** A reader for whom there may be something new, locked until the transaction ends. */
export type DueReader = {
  readonly workspaceId: string
  readonly memberId: string
  /** What comes after the first and up to the second is new. */
  readonly after: string
  readonly upTo: string
  /** What the last mail has as `once`. */
  readonly lastMail: string | null
}

/** The one who has been due for longest; null for none. */
export async function takeDueReader(tx: Tx): Promise<DueReader | null> {
  const [row] = await tx<DueReader[]>`
    select r.workspace_id as "workspaceId", r.member_id as "memberId", r.told_to::text as after, p.last_seq::text as "upTo",
           r.last_mail as "lastMail"
    from   notice_reader r, notice_position p
    where  r.mail_at <= now()
    order  by r.mail_at
    limit  1
    for    update of r skip locked`
  return row ?? null
}

/** Nothing before that is mailed again, and where something is, the next is mailed so many minutes later. */
export async function settleReader(
  tx: Tx,
  { workspaceId, memberId, upTo }: DueReader,
  mail: { readonly once: string; readonly quietMinutes: number } | null,
): Promise<void> {
  await tx`
    update notice_reader
    set    told_to = ${upTo}::bigint, mail_at = null, last_mail = coalesce(${mail?.once ?? null}, last_mail),
           quiet_until = case when ${mail === null} then quiet_until
                              else now() + ${mail?.quietMinutes ?? 0} * interval '1 minute' end
    where  workspace_id = ${workspaceId} and member_id = ${memberId}`
}

/** Looks at the reader again after so many minutes, unless they were mailed meanwhile. */
export async function putOffReader(
  sql: Sql,
  { workspaceId, memberId, after }: DueReader,
  minutes: number,
): Promise<void> {
  await sql`
    update notice_reader set mail_at = now() + ${minutes} * interval '1 minute'
    where  workspace_id = ${workspaceId} and member_id = ${memberId} and told_to = ${after}::bigint and mail_at is not null`
}

/** Has readers told anew whose last mail is still to be sent: for a restore, which drops such mail. */
export async function tellUnsentAnew(tx: Tx): Promise<void> {
  await tx`
    update notice_reader r
    set    told_to = split_part(m.once, ' ', 4)::bigint, mail_at = now()
    from   mail m
    where  m.once = r.last_mail and m.content_sealed is not null`
}
