import * as contract from '@postrider/contract'
import { refuseHidden, seesAll } from '../../edge/operations/credential-limits.ts'
import { type Caller, route, type Route } from '../../edge/operations/route.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { findTemplate, listTemplateRows } from './template-store.ts'
import { viewSummary, viewTemplate } from './views.ts'
import { changeTemplate, createTemplate, deleteTemplate, refuseTemplateId } from './write-template.ts'

/** The routes on templates. */
export function templateRoutes(): Route[] {
  return [
    route(
      contract.createTemplate,
      ({ body }, { caller, sql, audit }) => createTemplate(sql, caller, body, audit),
      {
        location: ({ templateId }) => `/agent/v1/templates/${templateId}`,
        refuseRepeat: async ({ answer: { templateId } }, { caller, sql }) =>
          (await isSeen(sql, caller, templateId)) ? null : refuseHidden(caller.credential.limits),
      },
    ),
    route(contract.listTemplates, async (_, { caller: { workspaceId, credential }, sql }) => ({
      templates: (await listTemplateRows(sql, workspaceId, credential.limits)).map(viewSummary),
    })),
    route(contract.readTemplate, async ({ params }, { caller: { workspaceId, credential }, sql }) => {
      const row = await findTemplate(sql, { ...params, workspaceId }, credential.limits)
      return row === null ? refuseTemplateId() : viewTemplate(row)
    }),
    route(
      contract.changeTemplate,
      ({ params, body }, { caller, sql, audit }) =>
        changeTemplate(sql, caller, { ...params, workspaceId: caller.workspaceId }, body, audit),
      {
        // About one that the caller does not see, as about none.
        refuseRepeat: async ({ params: { templateId } }, { caller, sql }) =>
          (await isSeen(sql, caller, templateId)) ? null : refuseTemplateId(),
      },
    ),
    route(contract.deleteTemplate, ({ params }, { caller, sql, audit }) =>
      deleteTemplate(sql, caller, { ...params, workspaceId: caller.workspaceId }, audit),
    ),
  ]
}

async function isSeen(
  sql: Sql,
  { workspaceId, credential: { limits } }: Caller,
  templateId: string,
): Promise<boolean> {
  return seesAll(limits) || (await findTemplate(sql, { workspaceId, templateId }, limits)) !== null
}
