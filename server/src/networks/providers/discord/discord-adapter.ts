import type { HttpResponse } from '../port/calls.ts'
import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, CallPurpose, ProviderFacts, RateBudget } from '../port/port.ts'
import { connectByUrl, profile } from './connecting.ts'
import { examine } from './examine.ts'
import { DiscordAuthorization, discordAuthorization } from './authorization.ts'
import { judgePublish, publishRequest } from './posting.ts'

/** What talks to Discord, by incoming webhooks (https://docs.discord.com/developers/resources/webhook). */
export function discordAdapter(facts: ProviderFacts): Adapter {
  return defineAdapter(facts, {
    authorization: DiscordAuthorization,
    origin: (authorization) => discordAuthorization(authorization).server,
    sendsFiles: true,
    examine,
    publish: { request: publishRequest, judge: judgePublish },
    form: connectByUrl,
    profile,
    budget: readBudget,
  })
}

/** `X-RateLimit-Reset-After` is in seconds, with a fraction (https://docs.discord.com/developers/topics/rate-limits). */
function readBudget({ headers }: HttpResponse, _purpose: CallPurpose): RateBudget | null {
  const { 'x-ratelimit-remaining': remaining = '', 'x-ratelimit-reset-after': resetAfter = '' } = headers
  if (!/^\d{1,9}$/.test(remaining) || !/^\d{1,7}(?:\.\d{1,6})?$/.test(resetAfter)) return null
  return { remaining: Number(remaining), resetsInMs: Math.ceil(Number(resetAfter) * 1_000) }
}
