import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Site } from '../../../platform/outbound/site.ts'

/** What a write gets that does not come from a page of ours. */
export function crossSite({ url }: Site): Refusal<'cross_site_request'> {
  return refuse('cross_site_request', `Open the page from its own address, ${url}, and try again.`)
}
