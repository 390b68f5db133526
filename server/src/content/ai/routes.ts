import * as contract from '@postrider/contract'
import { type Caller, outsideRoute, route, type Route } from '../../edge/operations/route.ts'
import { type DraftOptions, draftWork, refuseForeign } from './generate-drafts.ts'
import { type ImageOptions, imageWork } from './generate-image.ts'
import { type Asked, generateOnce } from './generate-once.ts'
import { readDayUse } from './generation-store.ts'
import { type Catalog, modelIdOf } from './model-catalog.ts'

/** The routes on what models make. */
export function aiRoutes(options: DraftOptions & ImageOptions): Route[] {
  return [
    outsideRoute(
      contract.generatePostDrafts,
      ({ body }, { caller, ...asked }) =>
        generateOnce(options, asFor(caller, asked), draftWork(options, caller, body)),
      { refuseRepeat: async ({ body }, { caller }) => refuseForeign(caller, body) },
    ),
    outsideRoute(
      contract.generatePostImage,
      ({ body }, { caller, ...asked }) =>
        generateOnce(options, asFor(caller, asked), imageWork(options, caller.workspaceId, body)),
      { location: ({ media }) => `/agent/v1/media/${media.mediaId}` },
    ),
    route(contract.listAiModels, async (_, { caller, sql }) => {
      const { tokensPerDay, imagesPerDay } = options.budget
      const use = await readDayUse(sql, caller.workspaceId)
      return {
        models: [...viewModels(options.catalog, 'text'), ...viewModels(options.imageCatalog, 'image')],
        budget: {
          tokensPerDay,
          tokensUsed: use.tokens + use.reservedTokens,
          imagesPerDay,
          imagesUsed: use.images + use.reservedImages,
          resetsAt: use.resetsAt.toISOString(),
        },
      }
    }),
  ]
}

function asFor<Answer>({ credential, hold }: Caller, asked: Omit<Asked<Answer>, 'credentialId' | 'hold'>) {
  return { ...asked, credentialId: credential.id, hold }
}

function viewModels(catalog: Catalog, makes: 'text' | 'image'): contract.AiModels['models'] {
  const first = (vendor: string) => catalog.findIndex((model) => model.vendor === vendor)
  return catalog.map((model, index) => ({
    modelId: modelIdOf(model),
    provider: model.vendor,
    makes,
    default: index === (makes === 'text' ? 0 : first(model.vendor)),
  }))
}
