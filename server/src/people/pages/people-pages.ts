import type { FastifyInstance } from 'fastify'
import { accountPages } from './account-pages.ts'
import { invitationPages } from './invitation-pages.ts'
import { mountPages } from './mount-pages.ts'
import { type PageRoute } from './page-kit.ts'
import { emailPages } from './email-pages.ts'
import { passkeyPages } from './passkey-pages.ts'
import { mountPasskeyScript } from './passkey-script.ts'
import { issuerPages } from './issuer-pages.ts'
import { signInPages, type SignInPagesParts } from './sign-in-pages.ts'
import { siteOf } from '../../platform/outbound/site.ts'

export type PeoplePagesParts = Omit<SignInPagesParts, 'site'> & { readonly baseUrl: string }

/** Every page for people, and those of other features. */
export function pageRoutes(parts: PeoplePagesParts, more: readonly PageRoute[] = []): PageRoute[] {
  const site = siteOf(parts.baseUrl)
  return [
    ...signInPages({ ...parts, site }),
    ...invitationPages(parts),
    ...accountPages(parts),
    ...emailPages(parts),
    ...(parts.oidc === null ? [] : issuerPages({ ...parts, oidc: parts.oidc })),
    ...passkeyPages({ ...parts, site }),
    ...more,
  ]
}

/** Mounts them. */
export function peoplePages(
  parts: PeoplePagesParts,
  more: readonly PageRoute[] = [],
): (app: FastifyInstance) => void {
  const site = siteOf(parts.baseUrl)
  const routes = pageRoutes(parts, more)
  return (app) => {
    mountPages(app, routes, { db: parts.db, site })
    mountPasskeyScript(app)
  }
}
