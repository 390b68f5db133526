import type { Db } from '../../src/platform/postgres/db.ts'
import { Secret } from '../../src/platform/sealing/sealing.ts'
import { issuerReturnUrl } from '../../src/platform/outbound/site.ts'
import { openOidcClient } from '../../src/people/sign-in/issuer/issuer-client.ts'
import { CLIENT, openIssuer } from './issuer.ts'
import { openSite, SITE } from './people-world.ts'

/** A site whose people may sign in at an issuer, too; those of `domains` get an account there. */
export async function openIssuerSite(
  db: Db,
  { domains = [], onFault = () => {} }: { domains?: string[]; onFault?: (fault: unknown) => void } = {},
) {
  const idp = await openIssuer(issuerReturnUrl(SITE))
  const clientSecret = new Secret(CLIENT.clientSecret)
  const settings = { ...CLIENT, issuer: idp.issuer, clientSecret, name: 'Example login', domains }
  const site = await openSite(db, { oidc: openOidcClient(settings, issuerReturnUrl(SITE), onFault) })
  return {
    idp,
    settings,
    site,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await idp[Symbol.asyncDispose]()
    },
  }
}
