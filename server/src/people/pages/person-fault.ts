import type { Refusal } from '../../edge/operations/refusal.ts'
import { parseEmail } from '../../platform/text/email-address.ts'
import { faultOfLine } from '../../platform/outbound/line-fault.ts'

/** What is wrong with a name and an e-mail address, in words; null for nothing. */
export function personFault({
  name,
  email,
}: {
  name?: string
  email?: string
}): Refusal<'validation_failed'> | null {
  const wrong = (detail: string, pointer: string): Refusal<'validation_failed'> => ({
    refused: 'validation_failed',
    detail,
    facts: { errors: [{ pointer, code: 'malformed', detail }] },
  })
  if (name !== undefined && (name === '' || name.length > 100))
    return wrong('The name must have 1 to 100 characters in one line.', '/name')
  const unfit = name === undefined ? null : faultOfLine('The name', name)
  if (unfit !== null) return wrong(unfit, '/name')
  if (email !== undefined && parseEmail(email) === null)
    return wrong(
      'This is not an email address such as ada@example.com. Before the @ it has ASCII characters only.',
      '/email',
    )
  return null
}
