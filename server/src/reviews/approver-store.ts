import { roleHas, roleNames } from '@postrider/contract'
import type { Sql } from '../platform/db.ts'
import type { EmailAddress } from '../platform/email-address.ts'
import { canSignIn } from '../sign-in/link-store.ts'
import type { Language } from '../platform/language.ts'

const DECIDING = roleNames.filter((role) => roleHas(role, 'approvals:decide'))

type Approver = {
  readonly personId: string
  readonly name: string
  readonly email: EmailAddress
  readonly language: Language
}

/** Those who may decide in a workspace and have a way to sign in. */
export async function listApprovers(sql: Sql, workspaceId: string): Promise<Approver[]> {
  return sql<Approver[]>`
    select p.id as "personId", p.name, p.email, 
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
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null and m.role = any(${DECIDING}::text[])
    and    ${canSignIn(sql)}
    order  by m.id`
}
