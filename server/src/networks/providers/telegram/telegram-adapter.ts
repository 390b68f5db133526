import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, ProviderFacts } from '../port/port.ts'
import { connectByToken, profile } from './connecting.ts'
import { examine } from './examine.ts'
import { TelegramAuthorization, telegramAuthorization } from './authorization.ts'
import { judgePublish, publishRequest } from './posting.ts'

/** What talks to a Bot API server (https://core.telegram.org/bots/api). */
export function telegramAdapter(facts: ProviderFacts): Adapter {
  return defineAdapter(facts, {
    authorization: TelegramAuthorization,
    origin: (authorization) => telegramAuthorization(authorization).server,
    sendsFiles: true,
    examine,
    publish: { request: publishRequest, judge: judgePublish },
    form: connectByToken,
    profile,
  })
}
