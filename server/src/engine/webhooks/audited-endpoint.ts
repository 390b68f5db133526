import type { AuditValue } from '../../edge/operations/act.ts'
import type { Endpoint } from './endpoint-store.ts'
import { maskedUrl } from './masked-url.ts'

/** What the audit log keeps of an endpoint: no token in its address, and no secret. */
export function auditedEndpoint({ url, description, eventTypes, autoReplay, status }: Endpoint): AuditValue {
  return { url: maskedUrl(url), description, eventTypes: [...eventTypes], autoReplay, status }
}
