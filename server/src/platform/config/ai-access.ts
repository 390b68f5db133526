import type { Secret } from '../sealing/sealing.ts'

export const modelVendors = ['openai', 'anthropic', 'google'] as const
export type ModelVendor = (typeof modelVendors)[number]

/** A model as its vendor calls it. */
export type ModelRef = { readonly vendor: ModelVendor; readonly model: string }

/** Whom to ask. A server at `baseUrl` speaks OpenAI's protocol and may need no key. */
export type AiAccess = {
  readonly openai: { readonly apiKey: Secret | null; readonly baseUrl: string | null }
  readonly anthropic: { readonly apiKey: Secret | null }
  readonly google: { readonly apiKey: Secret | null }
}

/** Whether the vendor has what it takes to be asked. */
export function canAsk(access: AiAccess, vendor: ModelVendor): boolean {
  return access[vendor].apiKey !== null || (vendor === 'openai' && access.openai.baseUrl !== null)
}
