import type { Adapter, ProviderFacts } from '../port.ts'
import { connectByToken, profile } from './connecting.ts'
import { TelegramGrant, telegramGrant } from './grant.ts'
import { judgePublish, publishRequest } from './posting.ts'

/** What talks to a Bot API server (https://core.telegram.org/bots/api). */
export function telegramAdapter(facts: ProviderFacts): Adapter {
  return {
    ...facts,
    grant: TelegramGrant,
    grantTimes: () => ({ accessEndsAt: null, grantEndsAt: null }),
    origin: (grant) => telegramGrant(grant).server,
    upload: null,
    sendsFiles: true,
    prepare: null,
    publish: { request: publishRequest, judge: judgePublish },
    poll: null,
    lookup: null,
    form: connectByToken,
    oauth: null,
    refresh: null,
    refreshRepeatable: () => false,
    profile,
    // It says how long to wait once a limit is hit, and nothing before that.
    budget: () => null,
  }
}
