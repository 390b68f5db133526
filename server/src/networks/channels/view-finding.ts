import type { app } from '@postrider/contract'
import { connectionFindings, findingWords, networkNames, type ShowValues } from '@postrider/contract/names'
import type { ConnectionFinding } from './judge-connection.ts'

const list = new Intl.ListFormat('en')

/** Times to the minute in UTC. */
const english: ShowValues = {
  time: (instant) => `${instant.slice(0, 16).replace('T', ' ')} UTC`,
  number: (value) => value.toLocaleString('en'),
  list: (items) => list.format(items),
}

/** A finding at a network, as the API and the operator's command show it. */
export function viewFinding(
  provider: string,
  { code, values: { missing, changes, ...own } }: ConnectionFinding,
): app.ConnectionFinding {
  const values = {
    network: networkNames[provider]?.displayName ?? provider,
    ...own,
    ...(missing === undefined ? {} : { missing: [...missing] }),
    ...(changes === undefined ? {} : { changes: changes.map((one) => ({ ...one })) }),
  }
  const { said, fix } = findingWords[code]
  return {
    ...connectionFindings[code],
    code,
    values,
    detail: said(values, english),
    fix: fix?.(values, english) ?? null,
  }
}
