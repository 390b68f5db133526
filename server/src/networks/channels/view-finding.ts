import {
  connectionFindings,
  findingWords,
  networkNames,
  type ConnectionAspect,
  type FindingCode,
  type FindingLevel,
  type FindingValues,
  type ShowValues,
} from '@postrider/contract/names'
import type { ConnectionFinding } from './judge-connection.ts'

/** What a check found, with its sentences in English. */
export type ViewedFinding = {
  aspect: ConnectionAspect
  code: FindingCode
  level: FindingLevel
  values: FindingValues
  detail: string
  fix: string | null
}

const list = new Intl.ListFormat('en')

/** Times to the minute in UTC. */
const english: ShowValues = {
  time: (instant) => `${instant.slice(0, 16).replace('T', ' ')} UTC`,
  number: (value) => value.toLocaleString('en'),
  list: (items) => list.format(items),
}

/** A finding at a network, as the API and the operator's command show it. */
export function viewFinding(provider: string, { code, values: own }: ConnectionFinding): ViewedFinding {
  const values = { network: networkNames[provider]?.displayName ?? provider, ...own }
  const { said, fix } = findingWords[code]
  return {
    ...connectionFindings[code],
    code,
    values,
    detail: said(values, english),
    fix: fix?.(values, english) ?? null,
  }
}
