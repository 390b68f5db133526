import type { FastifyInstance } from 'fastify'
import { accountPages } from './account-pages.ts'
import { invitationPages } from './invitation-pages.ts'
import { mountPages } from './mount-pages.ts'
import { signInPages } from './sign-in-pages.ts'
import type { PeopleParts } from './sign-in.ts'
import { siteOf } from './site.ts'

/** Mounts every page for people. */
export function peoplePages(parts: PeopleParts & { baseUrl: string }): (app: FastifyInstance) => void {
  const site = siteOf(parts.baseUrl)
  const routes = [
    ...signInPages({ ...parts, mailReset: null, provider: null }),
    ...invitationPages(parts),
    ...accountPages(parts),
  ]
  return (app) => mountPages(app, routes, { db: parts.db, site })
}
