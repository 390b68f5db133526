import {
  type AiAccess,
  type ModelVendor,
  modelVendors,
  canAsk,
  type ModelRef,
} from '../../platform/config/ai-access.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'

/** The models that may be asked; the first is used where none is named. */
export type Catalog = readonly ModelRef[]

const usual: Record<'text' | 'image', Record<ModelVendor, string | null>> = {
  text: { openai: 'gpt-5.6-terra', anthropic: 'claude-haiku-5-5', google: 'gemini-flash-latest' },
  image: { openai: 'gpt-image-2.5-flare', anthropic: null, google: 'gemini-3.1-flash-image' },
}

/** The models that were named, or else the usual one of each vendor that can be asked. */
export function catalogOf(
  access: AiAccess,
  makes: 'text' | 'image',
  named: readonly ModelRef[] | null,
): Catalog {
  if (named !== null) return named
  return modelVendors.flatMap((vendor) => {
    const model = usual[makes][vendor]
    return model !== null && canAsk(access, vendor) ? [{ vendor, model }] : []
  })
}

/** Which models are shown images: what a self-hosted model can see is not known unless it is set. */
export function seesImages({
  openai,
  vision,
}: AiAccess & { readonly vision: 'auto' | 'on' | 'off' }): (model: ModelRef) => boolean {
  if (vision !== 'auto') return () => vision === 'on'
  return ({ vendor }) => vendor !== 'openai' || openai.baseUrl === null
}

/** The name under which the API knows a model. */
export function modelIdOf({ vendor, model }: ModelRef): string {
  return `${vendor}/${model}`
}

/** The model of this name, or the first. */
export function chooseModel(
  catalog: Catalog,
  modelId: string | undefined,
): ModelRef | Refusal<'ai_not_configured' | 'validation_failed'> {
  const [first] = catalog
  if (first === undefined) {
    return refuse(
      'ai_not_configured',
      'No AI model is set up on this server. Write the text yourself, or ask your server operator to set one up.',
    )
  }
  if (modelId === undefined) return first
  const chosen = catalog.find((model) => modelIdOf(model) === modelId)
  if (chosen !== undefined) return chosen
  const detail = `\`modelId\` is none of the models of this server: ${catalog.map(modelIdOf).join(', ')}.`
  return refuse('validation_failed', detail, {
    errors: [{ pointer: '/modelId', code: 'not_allowed', detail }],
  })
}
