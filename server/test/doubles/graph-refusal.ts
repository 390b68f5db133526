import type { CallFault } from './call-table.ts'
import type { Answered } from './http-double.ts'

/*
 * How the Graph API, and that of Threads, answer a call that is not as they have it
 * (https://developers.facebook.com/docs/graph-api/guides/error-handling, 2026-11). They leave most fields that they do not know out of account:
 * a call that means something else than it says.
 */
export function graphRefusal(fault: CallFault, path: string): Answered {
  // Of what is in a list it names nothing.
  if ('field' in fault && fault.field[0]?.includes('[') === true)
    return error(100, '(#100) Invalid parameter')
  switch (fault.is) {
    case 'path':
    case 'host':
      return error(2_500, `Unknown path components: ${path}`)
    case 'version':
      return error(2_635, 'You are calling a deprecated version of the Ads API.')
    case 'method':
      return error(
        100,
        'Unsupported request. Please read the Graph API documentation',
        'GraphMethodException',
      )
    case 'body':
      return error(100, '(#100) Invalid parameter')
    case 'missing':
      return error(100, `(#100) The parameter ${fault.field.join('.')} is required`)
    case 'unknown':
      return error(100, `(#100) Param ${fault.field.join('.')} is not allowed`)
    case 'type':
      if (fault.field[0] === 'fields') return error(100, '(#100) Tried accessing nonexisting field')
      return error(100, `(#100) Param ${fault.field.join('.')} is not valid`)
    default:
      return fault satisfies never
  }
}

function error(code: number, message: string, type = 'OAuthException'): Answered {
  return { status: 400, body: { error: { message, type, code, fbtrace_id: 'A6LJylpZRKw' } } }
}
