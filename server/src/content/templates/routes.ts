import * as contract from '@postrider/contract'
import { route, type Route } from '../../edge/operations/route.ts'
import { findTemplate, listTemplateRows } from './template-store.ts'
import { viewSummary, viewTemplate } from './views.ts'
import { changeTemplate, createTemplate, deleteTemplate, refuseTemplateId } from './write-template.ts'

/** The routes on templates. */
export function templateRoutes(): Route[] {
  return [
    route(
      contract.createTemplate,
      ({ body }, { caller, sql, audit }) => createTemplate(sql, caller, body, audit),
      { location: ({ templateId }) => `/agent/v1/templates/${templateId}` },
    ),
    route(contract.listTemplates, async (_, { caller: { workspaceId, credential }, sql }) => ({
      templates: (await listTemplateRows(sql, workspaceId, credential.limits)).map(viewSummary),
    })),
    route(contract.readTemplate, async ({ params }, { caller: { workspaceId, credential }, sql }) => {
      const row = await findTemplate(sql, { ...params, workspaceId }, credential.limits)
      return row === null ? refuseTemplateId() : viewTemplate(row)
    }),
    route(contract.changeTemplate, ({ params, body }, { caller, sql, audit }) =>
      changeTemplate(sql, caller, { ...params, workspaceId: caller.workspaceId }, body, audit),
    ),
    route(contract.deleteTemplate, ({ params }, { caller, sql, audit }) =>
      deleteTemplate(sql, caller, { ...params, workspaceId: caller.workspaceId }, audit),
    ),
  ]
}
