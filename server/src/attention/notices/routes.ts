import { app, noticeKinds, roleHas } from '@postrider/contract'
import { refuse } from '../../edge/operations/refusal.ts'
import { type Caller, route, type Route } from '../../edge/operations/route.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { choicesOf, choose, mailChoices } from './reader-store.ts'

/** What a member is mailed about; `hasMail`: whether the server sends mail. */
export function noticeRoutes({ hasMail }: { readonly hasMail: boolean }): Route[] {
  const read = async (sql: Sql, { workspaceId, member }: Caller) => ({
    hasMail,
    kinds: mailChoices(member.role, await choicesOf(sql, workspaceId, member.id)),
  })
  return [
    route(app.readMyNotices, (_, { caller, sql }) => read(sql, caller)),
    route(app.changeMyNotices, async ({ body: { kind, mail } }, { caller, sql, audit }) => {
      const { workspaceId, member } = caller
      const { right } = noticeKinds[kind]
      if (!roleHas(member.role, right))
        return refuse(
          'missing_permission',
          `Your role here is ${member.role}, which lacks \`${right}\`. Ask an owner for another role.`,
          {
            requiredPermission: right,
          },
        )
      const before = await read(sql, caller)
      await choose(sql, { workspaceId, memberId: member.id }, kind, mail)
      const had = before.kinds.find((one) => one.kind === kind)?.mail ?? false
      audit({ subject: { memberId: member.id }, before: { [kind]: had }, after: { [kind]: mail } })
      return read(sql, caller)
    }),
  ]
}
