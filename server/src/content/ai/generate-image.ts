import type { generatePostImage as operation, Input, PostImage, RefusalCode } from '@postrider/contract'
import { addMedia, type MediaParts } from '../../media/upload-media.ts'
import { viewMedia } from '../../media/views.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { type GenerateImage, estimateTokens, mayHaveRun } from './model-client.ts'
import { allowImage, type ImageBudget } from './budget.ts'
import {
  type Generation,
  type GenerationOptions,
  type Completed,
  type Prepared,
  type Failed,
  failedBy,
  type Work,
} from './generate-once.ts'
import { lockBudget, readDayUse, recordCall } from './generation-store.ts'
import { storeImage } from './store-image.ts'
import type { ModelRef } from '../../platform/config/ai-access.ts'
import { type Catalog, chooseModel, modelIdOf } from './model-catalog.ts'

export type ImageOptions = GenerationOptions & {
  readonly imageCatalog: Catalog
  readonly draw: GenerateImage
  readonly budget: ImageBudget
  readonly media: MediaParts
}

type Body = Input<typeof operation>['body']
type Code = RefusalCode<typeof operation>
type Plan = { readonly model: ModelRef; readonly ratio: readonly [number, number]; readonly altText: string }

/** The work of one request for an image, for `generateOnce`. */
export function imageWork(
  options: ImageOptions,
  workspaceId: string,
  body: Body,
): Work<Plan, PostImage, Code> {
  return {
    prepare: (tx) => prepare(tx, options, workspaceId, body),
    run: (plan, generation) => run(options, body.prompt, plan, generation),
  }
}

async function prepare(
  tx: Tx,
  { imageCatalog, budget }: ImageOptions,
  workspaceId: string,
  { provider: vendor, modelId, aspectRatio, altText }: Body,
): Promise<Prepared<Plan> | Refusal<Code>> {
  const words = altText.trim()
  if (words === '') {
    const detail = '`altText` is empty. Say what the image shows.'
    return refuse('validation_failed', detail, {
      errors: [{ pointer: '/altText', code: 'too_short', detail }],
    })
  }
  const ofVendor = imageCatalog.filter((one) => one.vendor === vendor)
  if (imageCatalog.length > 0 && ofVendor.length === 0) return notOnOffer(vendor, imageCatalog)
  const model = chooseModel(ofVendor, modelId)
  if (isRefusal(model)) return model
  await lockBudget(tx, workspaceId)
  const refused = allowImage(budget, await readDayUse(tx, workspaceId))
  if (refused !== null) return refused
  const [width = 1, height = 1] = aspectRatio.split(':').map(Number)
  const plan: Plan = { model, ratio: [width, height], altText: words }
  return { plan, model: modelIdOf(model), reserved: { tokens: 0, images: 1 } }
}

function notOnOffer(vendor: string, catalog: Catalog): Refusal<'ai_not_configured'> {
  const others = catalog.map(modelIdOf).join(', ')
  const detail = `This server has no model of ${vendor} that can draw. It has ${others}. Ask for one of these, or ask your server operator to configure ${vendor}.`
  return refuse('ai_not_configured', detail)
}

async function run(
  { db, draw, media }: ImageOptions,
  prompt: string,
  { model, ratio, altText }: Plan,
  generation: Generation,
): Promise<Completed<PostImage> | Failed<Code>> {
  const { workspaceId, generationId, signal } = generation
  const modelId = modelIdOf(model)
  const drawing = await draw({ model, prompt, ratio }, signal)
  const ran = drawing.is === 'drawn' || mayHaveRun(drawing.failure)
  const reported = drawing.is === 'drawn' ? drawing.usage : null
  const guess = { inputTokens: ran ? estimateTokens(prompt) : 0, outputTokens: 0 }
  await recordCall(db, generation, { ...(reported ?? guess), images: ran ? 1 : 0 })
  if (drawing.is === 'failed') return failedBy(drawing.failure, modelId)

  const kept = await storeImage(media, workspaceId, drawing.bytes, ratio)
  if (isRefusal(kept)) return { outcome: kept.refused, refusal: notKept(kept) }
  return {
    store: async (tx) => {
      const item = await addMedia(tx, workspaceId, kept.value, altText)
      return { generationId, model: modelId, media: viewMedia(item) }
    },
    undo: kept.abandon,
  }
}

/** The image was made, and counts: the same request, sent again, makes another one. */
function notKept({ refused, detail, facts }: Refusal): Refusal<'ai_failed' | 'not_ready'> {
  if (refused !== 'not_ready') return refuse('ai_failed', `${detail} Nothing was stored.`)
  const sentence =
    "The image was made and counts toward today's budget, but there is no room to store it right now. Nothing was stored. Sending the request again makes another image."
  return refuse('not_ready', sentence, facts)
}
