import { ERRORS, examineGraph, LIMITS, READ_IN, toldByGraph } from '../meta-examine.ts'
import type { Examine, Origins } from '../../port/port.ts'
import { facebookAuthorization } from './authorization.ts'
import { FIELDS, pageIn } from './connecting.ts'
import { PERMISSIONS } from './permissions.ts'
import { refusalOf } from './refusals.ts'

/** A Page and its access token. Facebook tells how much of its limits is used in percent, and of those that are in use alone. */
export function examineAt({ api }: Origins): Examine {
  return {
    told: {
      ...toldByGraph,
      access: { by: 'GET /{page}', source: ERRORS, read: READ_IN },
      quota: {
        by: 'the headers `x-app-usage` and `x-business-use-case-usage`',
        source: LIMITS,
        read: READ_IN,
      },
    },
    ask({ authorization, client }) {
      const access = facebookAuthorization(authorization)
      return examineGraph({
        api,
        access,
        client,
        path: access.pageId,
        fields: FIELDS,
        permissions: PERMISSIONS,
        isShown: (response) => pageIn(response)?.id === access.pageId,
        refusalOf,
      })
    },
  }
}
