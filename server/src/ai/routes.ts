import * as contract from '@postrider/contract'
import { outsideRoute, route, type Route } from '../platform/route.ts'
import { type DraftOptions, draftWork } from './generate-drafts.ts'
import { generateOnce } from './generate-once.ts'
import { readDayUse } from './generation-store.ts'
import { modelIdOf } from './model-catalog.ts'

/** The routes on what models make. */
export function aiRoutes(options: DraftOptions): Route[] {
  return [
    outsideRoute(contract.generatePostDrafts, ({ body }, { caller, ...asked }) =>
      generateOnce(
        options,
        { ...asked, credentialId: caller.credential.id },
        draftWork(options, caller.workspaceId, body),
      ),
    ),
    route(contract.listAiModels, async (_, { caller, sql }) => {
      const use = await readDayUse(sql, caller.workspaceId)
      return {
        models: options.catalog.map((model, index) => ({
          modelId: modelIdOf(model),
          provider: model.provider,
          makes: 'text' as const,
          default: index === 0,
        })),
        budget: {
          tokensPerDay: options.budget.tokensPerDay,
          tokensUsed: use.tokens + use.reservedTokens,
          resetsAt: use.resetsAt.toISOString(),
        },
      }
    }),
  ]
}
