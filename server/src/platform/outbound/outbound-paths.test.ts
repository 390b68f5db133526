import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/*
 * Addresses that outsiders choose are called through `openOutbound` alone, whose connector checks and pins them. What calls others
 * by another way stands here, and who chooses the address.
 */
const OTHER_WAYS: Readonly<Record<string, string>> = {
  'content/ai/ask-model.ts': 'the operator, or a vendor of models',
  'people/sign-in/issuer/issuer-client.ts': 'the operator: the issuer, and what its own description names',
  'people/mail/smtp.ts': 'the operator',
  'media/s3-storage.ts': 'the operator',
  'platform/process/tracing.ts': 'the operator',
  'accounts/sandbox/ask-sandbox.ts': 'the operator, or this server',
  'operate/commands/doctor.ts': 'the operator, and one fixed address',
  'platform/outbound/capped-agent.ts': 'the callers of these three',
  'platform/outbound/capped-fetch.ts': 'the callers of these three',
  'platform/outbound/guarded-connect.ts': 'outsiders: it is what checks and pins',
}

const CALLS =
  /(?<![\w.#])fetch\(|['"](?:undici|nodemailer\S*|@aws-sdk\/\S+|@opentelemetry\/exporter\S*|node:https|node:http2)['"]|openCappedFetch|\bhttps?\.(?:request|get)\(|\b(?:net|tls)\.connect\(/

test('whatever outsiders name is called through the one connector that checks and pins addresses', () => {
  const sources = join(import.meta.dirname, '../..')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const others = files.filter((file) => {
    const code = readFileSync(join(sources, file), 'utf8').replaceAll(/^import type .*$/gm, '')
    return CALLS.test(code)
  })
  expect(others.toSorted()).toEqual(Object.keys(OTHER_WAYS).toSorted())
})
