import type { Secret } from '../platform/sealing.ts'

export const aiProviders = ['openai', 'anthropic', 'google'] as const
export type AiProvider = (typeof aiProviders)[number]

/** A model as its provider calls it. */
export type ModelRef = { readonly provider: AiProvider; readonly model: string }

/** Whom to ask. A server at `baseUrl` speaks OpenAI's protocol and may need no key. */
export type AiAccess = {
  readonly openai: { readonly apiKey: Secret | null; readonly baseUrl: string | null }
  readonly anthropic: { readonly apiKey: Secret | null }
  readonly google: { readonly apiKey: Secret | null }
}

/** Whether the provider has what it takes to be asked. */
export function canAsk(access: AiAccess, provider: AiProvider): boolean {
  return access[provider].apiKey !== null || (provider === 'openai' && access.openai.baseUrl !== null)
}
