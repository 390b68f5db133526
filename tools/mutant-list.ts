/** One guard of the source taken away, and the tests that stand closest to it. */
export type Mutant = {
  readonly file: string
  /** What no longer holds. */
  readonly breaks: string
  /** Text that is in the file once, and what stands there instead. */
  readonly from: string
  readonly to: string
  readonly tests: readonly string[]
}

type Change = Omit<Mutant, 'file' | 'tests'>

function of(file: string, tests: readonly string[], changes: readonly Change[]): Mutant[] {
  return changes.map((change) => ({
    ...change,
    file: `server/src/${file}`,
    tests: tests.map((test) => `server/${test}.test.ts`),
  }))
}

const SIGN_IN = 'src/people/sign-in/sign-in'
const BY_PROVIDER = 'src/people/sign-in/issuer/sign-in-at-issuer'
const PAGES = 'src/people/pages/people-pages'
const PASSKEYS = 'src/people/sign-in/passkey/passkeys'
const FORMS = 'src/people/pages/email-forms'
const PROOF = 'src/people/sign-in/link/prove-email'
const OAUTH = 'src/people/apps/oauth'
const MEANWHILE = 'test/changed-meanwhile'
const SERIES = 'src/content/series/series'

export const mutants: readonly Mutant[] = [
  ...of(
    'people/sign-in/sign-in.ts',
    [SIGN_IN],
    [
      {
        breaks: 'a password that was replaced while it was hashed opens nothing',
        from: 'if (locked === null || locked.passwordHash !== person.passwordHash) return wrongPassword()',
        to: 'if (locked === null) return wrongPassword()',
      },
      {
        breaks: 'a password that was replaced while it was hashed proves nothing',
        from: 'if (locked.passwordHash !== person.passwordHash) return wrongPassword()\n    if (locked.secondFactor)',
        to: 'if (locked.secondFactor)',
      },
      {
        breaks: 'the password has to fit',
        from: 'person === null || !fits\n      ? wrongPassword()',
        to: 'person === null\n      ? wrongPassword()',
      },
      {
        breaks: 'an authenticator app is asked for a code',
        from: "if (secondFactor && by !== 'passkey') {",
        to: "if (secondFactor && by === 'link') {",
      },
      {
        breaks: 'a code has to be right',
        from: 'if (factor === null) return wrongCode()\n    if ((await endStep',
        to: 'if ((await endStep',
      },
      {
        breaks: 'a sign-in that waits for its code is finished once',
        from: "if ((await endStep(tx, 'second_factor', secret)) === null) return tookTooLong()",
        to: "await endStep(tx, 'second_factor', secret)",
      },
      {
        breaks: 'a proof of identity asks for the code, too',
        from: 'if (locked.secondFactor) {',
        to: 'if (locked.secondFactor && code !== null) {',
      },
    ],
  ),
  ...of(
    'people/sign-in/password/throttle-store.ts',
    [SIGN_IN],
    [
      {
        breaks: 'tries at one account are limited',
        from: 'return limit !== undefined && count > limit.atMost',
        to: 'return limit !== undefined && count > limit.atMost * 10',
      },
    ],
  ),
  ...of(
    'people/sign-in/second-factor/second-factor-store.ts',
    [SIGN_IN],
    [
      {
        breaks: 'a code of the app is good once',
        from: 'where  person_id = ${personId} and last_step < ${step}`',
        to: 'where  person_id = ${personId} and last_step <= ${step}`',
      },
      {
        breaks: 'a recovery code is good once',
        from: 'and code_hash = ${codeHash} and used_at is null`',
        to: 'and code_hash = ${codeHash}`',
      },
      {
        breaks: 'a recovery code is the person’s own',
        from: 'where  person_id = ${personId} and code_hash = ${codeHash} and used_at is null`',
        to: 'where  code_hash = ${codeHash} and used_at is null`',
      },
    ],
  ),
  ...of(
    'people/sign-in/second-factor/totp.ts',
    ['src/people/sign-in/second-factor/totp'],
    [
      {
        breaks: 'a code is good for three time steps',
        from: 'const matching = [present, present - 1, present + 1]',
        to: 'const matching = [present, present - 1, present + 1, present - 2]',
      },
    ],
  ),
  ...of(
    'people/sign-in/session/session-store.ts',
    [SIGN_IN],
    [
      {
        breaks: 'a session ends without use, and when it is old',
        from: 'return sql`s.ends_at > now() and s.seen_at > now() - ${IDLE}::interval`',
        to: 'return sql`s.ends_at > now()`',
      },
      {
        breaks: 'a proof is fresh for minutes',
        from: "const FRESH = '10 minutes'",
        to: "const FRESH = '1 day'",
      },
      {
        breaks: 'a proof gives the session another secret',
        from: 'set    token_hash = ${hashSecret(secret)}, proved_at = now(), seen_at = now()',
        to: 'set    proved_at = now(), seen_at = now()',
      },
    ],
  ),
  ...of(
    'people/sign-in/session/session-store.ts',
    [MEANWHILE],
    [
      {
        breaks: 'a session is held by the secret that it had',
        from: 'where  s.id = ${sessionId} and s.token_hash = ${secretHash} and ${current(tx)}',
        to: 'where  s.id = ${sessionId} and ${current(tx)}',
      },
      {
        breaks: 'what was sent before a session ended changes nothing after',
        from: 'if (row === undefined) throw new ChangedMeanwhile()\n  return row',
        to: 'return row ?? { fresh: true }',
      },
    ],
  ),
  ...of(
    'people/sign-in/person-sign-in-store.ts',
    [SIGN_IN],
    [
      {
        breaks: 'a new password ends sign-ins that wait for a code',
        from: "await tx`delete from ceremony where person_id = ${personId} and kind = 'second_factor'`",
        to: 'await tx`select`',
      },
    ],
  ),
  ...of(
    'people/sign-in/issuer/sign-in-at-issuer.ts',
    [BY_PROVIDER, FORMS],
    [
      {
        breaks: 'another session that comes back from the provider connects nothing',
        from: 'if (signedIn?.sessionId !== attempt.sessionId) return tookTooLong()',
        to: 'if (signedIn === null) return tookTooLong()',
      },
      {
        breaks: 'an identity that is withdrawn while it comes back lets nobody in',
        from: 'return person === null || !isTheirs ? tookTooLong()',
        to: 'return person === null || !(isTheirs || true) ? tookTooLong()',
      },
      {
        breaks: 'an address counts only when the provider has verified it',
        from: 'if (user.email === null || !user.emailVerified) return refuseUnverified(settings)',
        to: 'if (user.email === null) return refuseUnverified(settings)',
      },
      {
        breaks: 'an account of an unproven address is not opened by the address',
        from: 'if (!person.emailProven && (await hasWayIn(tx, person.personId))) return refuseUnproven(parts, person)',
        to: '',
      },
      {
        breaks: 'only those who are invited, or in a domain of the settings, get an account',
        from: 'if (!settings.domains.includes(domain) && !(await isInvited(tx, email))) {',
        to: 'if (settings.domains.length > 99 && !(await isInvited(tx, email))) {',
      },
      {
        breaks: 'the last way to sign in stays',
        from: 'if (!(await hasWayIn(tx, signedIn.personId)))',
        to: 'if (signedIn.personId === "")',
      },
    ],
  ),
  ...of(
    'people/sign-in/issuer/issuer-client.ts',
    [BY_PROVIDER, FORMS],
    [
      {
        breaks: 'the signature of an ID token is checked',
        from: '      enableNonRepudiationChecks,\n',
        to: '',
      },
      {
        breaks: 'the state has to be the one of this browser',
        from: 'expectedState: state,',
        to: "expectedState: new URLSearchParams(search).get('state') ?? state,",
      },
      {
        breaks: 'a subject is what the protocol allows',
        from: 'if (claims === undefined || !isSubject(claims.sub)) return null',
        to: 'if (claims === undefined) return null',
      },
      {
        breaks: 'an address is verified only by a true `email_verified`',
        from: "emailVerified: facts['email_verified'] === true,",
        to: "emailVerified: Boolean(facts['email_verified']),",
      },
    ],
  ),
  ...of(
    'platform/text/email-address.ts',
    ['src/platform/text/email-address', FORMS],
    [
      {
        breaks: 'the local part is ASCII',
        from: "const LOCAL_PART = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/",
        to: 'const LOCAL_PART = /^[^\\s@]{1,64}$/u',
      },
      {
        breaks: 'no letter but ASCII is folded',
        from: 'return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())',
        to: 'return text',
      },
      {
        breaks: 'a domain is the U-label that it is shown as',
        from: 'if (!isAscii(text) && domainToUnicode(label) !== text) return null\n',
        to: '',
      },
    ],
  ),
  ...of(
    'people/sign-in/link/prove-email.ts',
    [PROOF],
    [
      {
        breaks: 'an address is proven for the first time once',
        from: 'if (!(await markEmailProven(tx, personId))) return null',
        to: 'await markEmailProven(tx, personId)',
      },
      {
        breaks: 'agent keys and apps of an account that another may have made are stopped',
        from: 'isOperators ? { keys: [], apps: [] } : await stopCredentials(tx, person, client)',
        to: '{ keys: [] as string[], apps: [] as string[] }',
      },
      {
        breaks: 'invitations of an account that another may have made are withdrawn',
        from: 'isOperators ? 0 : await revokeInvitationsOf(tx, personId)',
        to: '0',
      },
      {
        breaks: 'what was removed is mailed',
        from: "await notifyPerson(tx, mail, person, { notice: 'emailProven', more: changes }, client)",
        to: '',
      },
    ],
  ),
  ...of(
    'people/sign-in/ways-in-store.ts',
    [PROOF],
    [
      {
        breaks: 'only whom the operator named keeps what acts in their name',
        from: 'where  p.id = ${personId} and p.by_operator`',
        to: 'where  p.id = ${personId}`',
      },
      {
        breaks: 'passkeys go when an address is proven',
        from: 'tx`delete from passkey where person_id = ${personId}`',
        to: 'tx`select from passkey where person_id = ${personId}`',
      },
      {
        breaks: 'identities go when an address is proven',
        from: 'tx`delete from person_identity where person_id = ${personId}`',
        to: 'tx`select from person_identity where person_id = ${personId}`',
      },
      {
        breaks: 'what is under way goes when an address is proven',
        from: 'tx`delete from ceremony where person_id = ${personId}`',
        to: 'tx`select`',
      },
      {
        breaks: 'the session that proves the address stays, and no other',
        from: 'endSessions(tx, personId, keptSession)',
        to: 'endSessions(tx, personId, null)',
      },
    ],
  ),
  ...of(
    'people/sign-in/link/change-email.ts',
    [PROOF],
    [
      {
        breaks: 'an address is confirmed in the account that is to have it',
        from: 'if (signedIn?.personId !== personId) return refuseOther(link)',
        to: 'if (signedIn === null) return refuseOther(link)',
      },
    ],
  ),
  ...of(
    'people/sign-in/link/accept-invitation.ts',
    [PAGES],
    [
      {
        breaks: 'an invitation is for its address',
        from: 'if (email !== person.email) {',
        to: "if (email === '') {",
      },
      {
        breaks: 'an invitation that is withdrawn meanwhile is not taken up',
        from: 'if (!(await consumeInvitation(tx, invitation))) return linkIsUsed()',
        to: 'await consumeInvitation(tx, invitation)',
      },
      {
        breaks: 'whoever invited has to have the right to still',
        from: "if (is === 'revoked' || !mayGrant(inviterRole, role)) {",
        to: "if (is === 'revoked') {",
      },
    ],
  ),
  ...of(
    'people/sign-in/password/reset-password.ts',
    [PAGES, PROOF],
    [
      {
        breaks: 'a new password ends every session',
        from: 'const sessionsEnded = await endSessions(tx, personId)',
        to: 'const sessionsEnded = 0',
      },
    ],
  ),
  ...of(
    'platform/outbound/site.ts',
    [PAGES],
    [
      {
        breaks: 'a form comes from a page of ours',
        from: "if (fetchSite !== undefined && fetchSite !== 'same-origin') return false",
        to: '',
      },
      {
        breaks: 'a foreign origin is refused',
        from: 'if (origin !== undefined) return origins.has(origin)',
        to: "if (origin !== undefined) return origins.has(origin) || origin.startsWith('https:')",
      },
    ],
  ),
  ...of(
    'people/sign-in/passkey/passkeys.ts',
    [PASSKEYS],
    [
      {
        breaks: 'a passkey proves its own session and person',
        from: 'if (used.ceremony.sessionId !== signedIn.sessionId || used.personId !== signedIn.personId)',
        to: 'if (used.ceremony.sessionId !== signedIn.sessionId)',
      },
      {
        breaks: 'a copied passkey is refused at a sign-in',
        from: 'if (!(await usePasskey(tx, used.passkeyId, used.counter)))\n          return refuseClone(tx, parts, person, used, client)',
        to: 'await usePasskey(tx, used.passkeyId, used.counter)',
      },
      {
        breaks: 'the user handle is the person’s',
        from: 'if (passkey === null || head?.userHandle?.equals(userHandleOf(passkey.personId)) !== true)',
        to: 'if (passkey === null)',
      },
      {
        breaks: 'a signature has to hold',
        from: 'if (counter === null) return notAccepted()\n  const { passkeyId, personId } = passkey\n  return { passkeyId, personId, counter,',
        to: 'const { passkeyId, personId } = passkey\n  return { passkeyId, personId, counter: counter ?? passkey.counter + 1,',
      },
    ],
  ),
  ...of(
    'people/apps/access-tokens.ts',
    [OAUTH],
    [
      {
        breaks: 'a token is narrower than its grant',
        from: 'scope.has(permission) && roleHas(holder.role, permission)',
        to: '(scope.has(permission) || true) && roleHas(holder.role, permission)',
      },
      {
        breaks: 'a token does no more than its member may',
        from: 'scope.has(permission) && roleHas(holder.role, permission)',
        to: 'scope.has(permission)',
      },
    ],
  ),
  ...of(
    'people/apps/app-grant-store.ts',
    [OAUTH],
    [
      {
        breaks: 'a token is for its resource',
        from: "and    t.expires_at > now() and t.payload ->> 'aud' = ${resource}",
        to: 'and    t.expires_at > now() and ${resource} is not null',
      },
      {
        breaks: 'a token ends',
        from: "and    t.expires_at > now() and t.payload ->> 'aud' = ${resource}",
        to: "and    t.payload ->> 'aud' = ${resource}",
      },
      {
        breaks: 'the apps of a member who was taken out are cut off',
        from: "t.payload ->> 'aud' = ${resource}\n    and    g.revoked_at is null and (g.expires_at is null or g.expires_at > now()) and m.removed_at is null`",
        to: "t.payload ->> 'aud' = ${resource}\n    and    g.revoked_at is null and (g.expires_at is null or g.expires_at > now())`",
      },
    ],
  ),
  ...of(
    'people/apps/artifact-store.ts',
    [OAUTH, 'src/people/apps/device'],
    [
      {
        breaks: 'a code is used once',
        from: 'where  model = ${model} and id_hash = ${hashSecret(id)} and consumed_at is null`',
        to: 'where  model = ${model} and id_hash = ${hashSecret(id)}`',
      },
      {
        breaks: 'a device is decided about once',
        from: "and consumed_at is null and not payload ?| array['accountId', 'error']`",
        to: 'and consumed_at is null`',
      },
      {
        breaks: 'a code of a device ends',
        from: "${matching(sql, 'uid_hash', userCode)} and expires_at > now()",
        to: "${matching(sql, 'uid_hash', userCode)}",
      },
      {
        breaks: 'of two devices with one code none is let in',
        from: 'return another === undefined ? (found ?? null) : null',
        to: 'return another === undefined ? (found ?? null) : (found ?? null)',
      },
      {
        breaks: 'a device that asks too often is slowed down',
        from: "coalesce(before.used_at > now() - ${POLL_SECONDS - POLL_TOLERANCE_SECONDS} * interval '1 second', false)",
        to: "coalesce(before.used_at > now() + ${POLL_SECONDS - POLL_TOLERANCE_SECONDS} * interval '1 second', false)",
      },
      {
        breaks: 'a used refresh token is over after its grace',
        from: "const graceSeconds = model === 'RefreshToken' ? REFRESH_GRACE_SECONDS : 0",
        to: "const graceSeconds = model === 'RefreshToken' ? 86_400 : 0",
      },
    ],
  ),
  ...of(
    'people/apps/consent.ts',
    ['src/people/apps/consent', OAUTH],
    [
      {
        breaks: 'an app gets what it asked for at most',
        from: 'const permissions = request.permissions.filter((permission) => chosen.permissions.includes(permission))',
        to: 'const permissions = permissionNames.filter((permission) => chosen.permissions.includes(permission))',
      },
      {
        breaks: 'consent needs a fresh proof of identity in its transaction',
        from: 'if (!session.fresh) throw new ChangedMeanwhile()',
        to: 'if (session === null) throw new ChangedMeanwhile()',
      },
      {
        breaks: 'consent is a member’s, in its transaction',
        from: 'if ((await holdMembership(tx, workspaceId, memberId)) === null) return noMember()',
        to: 'await holdMembership(tx, workspaceId, memberId)',
      },
    ],
  ),
  ...of(
    'people/apps/consent-routes.ts',
    ['src/people/apps/consent'],
    [
      {
        breaks: 'a form is answered by the session that it was shown to',
        from: "if (field('shownTo') !== proofOf(request, pathOf(request)))",
        to: "if (field('shownTo') === '')",
      },
    ],
  ),
  ...of(
    'people/apps/device.ts',
    ['src/people/apps/device'],
    [
      {
        breaks: 'guesses of codes are counted',
        from: 'if (waitSeconds !== null) return tooManyTries(waitSeconds)',
        to: 'if (waitSeconds === 0) return tooManyTries(waitSeconds)',
      },
      {
        breaks: 'a denial needs a session in its transaction',
        from: 'if (!session.fresh) throw new ChangedMeanwhile()',
        to: 'if (session === null) throw new ChangedMeanwhile()',
      },
    ],
  ),
  ...of(
    'people/apps/device-routes.ts',
    ['src/people/apps/device'],
    [
      {
        breaks: 'a decision about a device is of the session that it was shown to',
        from: "if (field('shownTo') !== proofOf(request, asked.userCode))",
        to: "if (field('shownTo') === '')",
      },
    ],
  ),
  ...of(
    'people/pages/mount-pages.ts',
    ['src/people/apps/consent', 'src/accounts/connect/connect', 'src/people/pages/people-pages'],
    [
      {
        breaks: 'a form comes from a page of ours',
        from: "if (method === 'POST' && !isOwnPage(site, request.headers))",
        to: "if (method === 'POST' && !isOwnPage(site, request.headers) && request.url === '')",
      },
    ],
  ),
  ...of(
    'people/apps/endpoints.ts',
    ['src/people/apps/endpoints'],
    [
      {
        breaks: 'a path is taken in one spelling',
        from: "return segments.join('/') === asked &&",
        to: 'return segments.length > 0 && asked.length > 0 &&',
      },
    ],
  ),
  ...of(
    'edge/api/http/listen.ts',
    ['src/edge/api/http/listen'],
    [
      {
        breaks: 'nobody else can listen at the other address of `localhost`',
        from: "return ['127.0.0.1', '::1']",
        to: "return ['127.0.0.1']",
      },
      {
        breaks: 'an address that somebody else listens at ends the start',
        from: 'if (!(error instanceof NotListening && ABSENT.includes(codeOf(error.cause)))) throw error',
        to: '',
      },
    ],
  ),
  ...of(
    'operate/backup/restore-backup.ts',
    ['src/operate/backup/backup'],
    [
      {
        breaks: 'members who may have been removed since a backup wait after its restore',
        from: 'await suspendAllMembers(tx)',
        to: '',
      },
      {
        breaks: 'agent keys that may have been revoked since a backup wait after its restore',
        from: 'await suspendAllKeys(tx)',
        to: '',
      },
      {
        breaks: 'a notice that waits to be sent when a backup is made is not lost by its restore',
        from: 'await tellUnsentAnew(tx)',
        to: '',
      },
    ],
  ),
  ...of(
    'people/sign-in/sign-in.ts',
    ['src/operate/backup/backup'],
    [
      {
        breaks: 'nobody signs in who is suspended since a restore',
        from: 'if (suspended) return refuseSuspended()',
        to: '',
      },
    ],
  ),
  ...of(
    'people/sign-in/link/link-store.ts',
    ['src/operate/backup/backup'],
    [
      {
        breaks: 'nobody becomes an owner beside one who is suspended since a restore',
        from: '(${canSignIn(tx)} or m.suspended_at is not null) as present',
        to: '${canSignIn(tx)} as present',
      },
    ],
  ),
  ...of(
    'people/keys/key-store.ts',
    ['src/operate/backup/backup'],
    [
      {
        breaks: 'a suspended key that is revoked is not confirmed any more',
        from: 'revoked_at = coalesce(revoked_at, now()), suspended_at = null',
        to: 'revoked_at = coalesce(revoked_at, now())',
      },
      {
        breaks: 'a suspended key of a removed member is not confirmed any more',
        from: 'update agent_key set suspended_at = null\n    where  workspace_id = ${workspaceId} and member_id = ${memberId} and suspended_at is not null`',
        to: 'select from agent_key where member_id = ${memberId}`',
      },
    ],
  ),
  ...of(
    'accounts/connect/connect-flow.ts',
    ['src/accounts/connect/connect'],
    [
      {
        breaks: 'a flow comes back in the browser that was sent away',
        from: 'if (!isSameBrowser(found, cookieOf)) return ANOTHER_BROWSER',
        to: '',
      },
      {
        breaks: 'accounts are chosen in the browser that came back',
        from: 'if (!isSameBrowser(flow, cookieOf)) return ANOTHER_BROWSER',
        to: '',
      },
      {
        breaks: 'a browser is known by the value of its cookie',
        from: 'return cookie !== undefined && timingSafeEqual(hashSecret(cookie), browserHash)',
        to: 'return cookie !== undefined',
      },
      {
        breaks: 'a choice of accounts is made once',
        from: 'wanted, takeChoice)',
        to: 'wanted)',
      },
      {
        breaks: 'the outcome of a choice stays when another is refused',
        from: 'if (result !== OVER) await endWith(parts.db, flow.id, result)',
        to: 'await endWith(parts.db, flow.id, result)',
      },
      {
        breaks: 'each account that was named before the sign-in is one that access was given to',
        from: 'const wrong = named.findIndex((found) => found.length !== 1)',
        to: 'const wrong = named.findIndex((found) => found.length > 1)',
      },
      {
        breaks: 'a flow comes back once',
        from: 'if (flow === null) return OVER\n\n  const result',
        to: 'if (flow === null) throw new Error("it came back twice")\n\n  const result',
      },
      {
        breaks: 'a flow at whose return the server fails ends',
        from: 'await endFlow(db, flow.id, FAILED).catch(() => {})',
        to: '',
      },
      {
        breaks: 'a flow that is ended while the network is asked connects nothing',
        from: 'if (!(await hold(tx, flow.id))) throw new NotPermitted(OVER)',
        to: '',
      },
      {
        breaks: 'whoever made a link has the right to connect still',
        from: "return role !== null && roleHas(role, 'channels:manage')",
        to: 'return role !== null',
      },
    ],
  ),
  ...of(
    'accounts/connect/connect-flow-store.ts',
    ['src/accounts/connect/connect'],
    [
      {
        breaks: 'a flow that is ended after its account began to be stored connects nothing',
        from: 'and outcome is null and expires_at > clock_timestamp()\n    for    share`',
        to: 'and outcome is null and expires_at > now()\n    for    share`',
      },
      {
        breaks: 'a flow that is ended while its accounts are about to be kept offers no choice',
        from: 'returned_at is not null and outcome is null and expires_at > clock_timestamp()',
        to: 'returned_at is not null and outcome is null and expires_at > now()',
      },
      {
        breaks: 'a choice is not taken once its flow is over',
        from: 'and choosing and outcome is null and expires_at > clock_timestamp()',
        to: 'and choosing and outcome is null',
      },
    ],
  ),
  ...of(
    'accounts/connect/connect-account.ts',
    ['src/accounts/connect/connect'],
    [
      {
        breaks: 'a channel is reconnected with its own account',
        from: 'grants = granted.filter(({ account }) => account.remoteAccountId === known.remoteAccountId)',
        to: 'grants = granted',
      },
    ],
  ),
  ...of(
    'attention/reviews/decide-approval.ts',
    ['src/attention/reviews/decide-approval', 'test/app-flows'],
    [
      {
        breaks: 'what is approved is what was asked about',
        from: 'if (!present.equals(bound) || (approved && !present.equals(request.digest)))',
        to: 'if (!present.equals(bound))',
      },
      {
        breaks: 'what is approved is what was seen',
        from: 'if (!present.equals(bound) || (approved && !present.equals(request.digest)))',
        to: 'if (approved && !present.equals(request.digest))',
      },
      {
        breaks: 'a request is decided once',
        from: "if (request.status !== 'pending') return closed(request)",
        to: '',
      },
    ],
  ),
  ...of(
    'attention/reviews/review-pages.ts',
    ['src/attention/reviews/review-pages'],
    [
      {
        breaks: 'a request is seen by members of its workspace',
        from: 'if (workspaceId === null || membership === null)',
        to: 'if (workspaceId === null)',
      },
    ],
  ),
  ...of(
    'attention/reviews/undo-decision.ts',
    ['src/attention/reviews/undo-decision'],
    [
      {
        breaks: 'what has begun to be published is not undone',
        from: "if (reviewed.some((one) => !untouched.includes(one.status))) return 'Publishing has started.'",
        to: '',
      },
    ],
  ),
  ...of(
    'people/keys/authenticate.ts',
    ['src/people/keys/key-store', 'src/edge/api/api'],
    [
      {
        breaks: 'a revoked key opens nothing',
        from: 'and    k.revoked_at is null\n',
        to: '',
      },
      {
        breaks: 'an expired key opens nothing',
        from: 'and    (k.expires_at is null or k.expires_at > now())`',
        to: '`',
      },
      {
        breaks: 'the keys of a member who was taken out open nothing',
        from: 'and    m.removed_at is null\n',
        to: '',
      },
    ],
  ),
  ...of(
    'people/keys/authenticate.ts',
    [MEANWHILE],
    [
      {
        breaks: 'a credential that has changed meanwhile writes nothing',
        from: 'if (!isSame) throw new ChangedMeanwhile()',
        to: 'if (isSame === undefined) throw new ChangedMeanwhile()',
      },
    ],
  ),
  ...of(
    'edge/operations/refuse-without.ts',
    ['src/edge/api/api', 'src/edge/api/documents/openapi'],
    [
      {
        breaks: 'an operation asks for its permission',
        from: 'granted.some((one) => one === permission)) return null',
        to: 'granted.length > 0) return null',
      },
    ],
  ),
  ...of(
    'people/sign-in/session/operator-gate.ts',
    ['src/people/sign-in/session/operator-gate'],
    [
      {
        breaks: 'the operator does what commands do, and no more',
        from: 'if (!operations.has(operation.id)) return notForOperators()',
        to: "if (operation.id === '') return notForOperators()",
      },
      {
        breaks: 'the token counts on the machine of the server only',
        from: 'if (!isFromThisMachine(request.raw)) return elsewhere()',
        to: "if (!isFromThisMachine(request.raw) && token === '') return elsewhere()",
      },
      {
        breaks: 'the token counts in the workspace that it names',
        from: 'if (params.workspaceId !== NIL_UUID && params.workspaceId !== workspaceId)',
        to: "if (params.workspaceId === '')",
      },
      {
        breaks: 'a member does for the operator what their role may',
        from: 'if (operation.permission !== null && !roleHas(member.role, operation.permission))',
        to: "if (operation.permission !== null && member.name === '')",
      },
    ],
  ),
  ...of(
    'people/sign-in/session/operator-token.ts',
    ['src/people/sign-in/session/operator-gate'],
    [
      {
        breaks: 'the token is over after two minutes',
        from: 'return now < until && until <= now + VALID_MS ? claim : null',
        to: 'return until <= now + VALID_MS ? claim : null',
      },
      {
        breaks: 'a token of later than now is none',
        from: 'return now < until && until <= now + VALID_MS ? claim : null',
        to: 'return now < until ? wish : null',
      },
      {
        breaks: 'what a proxy passes on does not come from this machine',
        from: 'if (PASSED_ON.some((name) => headers[name] !== undefined) || !ipaddr.isValid(remoteAddress)) return false',
        to: 'if (!ipaddr.isValid(remoteAddress)) return false',
      },
      {
        breaks: 'another machine is not this one',
        from: "return ipaddr.process(remoteAddress).range() === 'loopback' || remoteAddress === localAddress",
        to: "return ipaddr.process(remoteAddress).range() !== 'unspecified' || remoteAddress === localAddress",
      },
      {
        breaks: 'the token is sealed for nothing else',
        from: 'const opened = tryUnseal(keyring, sealed, CONTEXT)',
        to: "const opened = tryUnseal(keyring, sealed, CONTEXT) ?? tryUnseal(keyring, sealed, 'another')",
      },
    ],
  ),
  ...of(
    'people/sign-in/session/people-gate.ts',
    ['test/app-access'],
    [
      {
        breaks: 'a workspace is its members’',
        from: 'if (membership === null) return noSuchWorkspace()',
        to: 'if (membership === null && permission === null) return noSuchWorkspace()',
      },
      {
        breaks: 'a role has its rights only',
        from: 'if (permission === null || roleHas(role, permission)) return null',
        to: "if (permission === null || role !== '') return null",
      },
      {
        breaks: 'a write comes from a page of ours',
        from: "if (isWrite && !(isOwnPage(site, request.headers) && request.headers[APP_HEADER] === '1'))",
        to: 'if (isWrite && !isOwnPage(site, request.headers))',
      },
      {
        breaks: 'what needs a fresh proof asks for one',
        from: 'return operation.fresh === true ? refuseUnlessFresh(signedIn) : null',
        to: 'return null',
      },
    ],
  ),
  ...of(
    'engine/queue/restored-store.ts',
    ['src/engine/publication/restored'],
    [
      {
        breaks: 'a restore holds all that could be published',
        from: 'where  d.status = any(${[...moves.restore.from]})',
        to: "where  d.status = 'scheduled'",
      },
    ],
  ),
  ...of(
    'engine/queue/channel-queue-store.ts',
    [SERIES],
    [
      {
        breaks: 'an occurrence waits for the one before it on its channel',
        from: 'and    (d.series_id is null or ${waitsFor(sql)} is null)',
        to: '',
      },
    ],
  ),
  ...of(
    'engine/destinations/series-wait.ts',
    [SERIES],
    [
      {
        breaks: 'an occurrence waits for one without access',
        from: "e.filed_as in ('checking', 'reconnect_required')",
        to: "e.filed_as = 'checking'",
      },
      {
        breaks: 'an occurrence waits for one in doubt',
        from: "e.filed_as in ('checking', 'reconnect_required')",
        to: "e.filed_as = 'reconnect_required'",
      },
      {
        breaks: 'posts of other series do not wait',
        from: 'e.series_id = ${own}.series_id and',
        to: '',
      },
    ],
  ),
  ...of(
    'content/series/series-store.ts',
    [SERIES, 'src/content/series/series-kills.deep'],
    [
      {
        breaks: 'a series is one process’s at a time',
        from: 'p.look_at <= now()\n    for    update skip locked',
        to: 'p.look_at <= now()',
      },
    ],
  ),
  ...of(
    'content/series/make-occurrences.ts',
    [SERIES],
    [
      {
        breaks: 'the row of an occurrence is written with its post',
        from: "await storeOccurrence(tx, row, { ...common, publishAt, status: 'made', postId, editToken, reason })",
        to: '',
      },
      {
        breaks: 'what is too late is missed',
        from: 'if (at.getTime() + allowedMs <= now.getTime()) {',
        to: 'if (allowedMs < 0) {',
      },
    ],
  ),
  ...of(
    'content/imports/import-posts.ts',
    ['src/content/imports/import-posts'],
    [
      {
        breaks: 'each row has a reference of its own, for good',
        from: 'const reference = referenceOf(plan, planned.id, 1)',
        to: 'const reference = referenceOf(plan, `${planned.id}-${Date.now()}`, 1)',
      },
      {
        breaks: 'each row keeps to the contract',
        from: 'return isRefusal(checked) ? checked : null',
        to: 'return null',
      },
      {
        breaks: 'an import has its name to itself',
        from: "if (plan !== '' && !(await holdImport(tx, caller.workspaceId, plan))) return inProgress()",
        to: '',
      },
      {
        breaks: 'a row that was imported before is left as it is',
        from: 'firstOf.get(post.id) === post && !known.posts.has(post.id) &&',
        to: 'firstOf.get(post.id) === post &&',
      },
      {
        breaks: 'one bad row is all that it takes to make nothing',
        from: 'if (faults.length > 0) return allFaults()\n  if (missing',
        to: 'if (faults.length > 0 && made.size === 0) return allFaults()\n  if (missing',
      },
    ],
  ),
  ...of(
    'content/posts/create/tagged-parts.ts',
    ['src/content/posts/create/link-tags'],
    [
      {
        breaks: 'what an edit does not change stays as it was approved',
        from: 'const isKept = isSame(contentFor(destination, shared), content)',
        to: 'const isKept = false',
      },
    ],
  ),
  ...of(
    'attention/notices/mail-notices.ts',
    ['src/attention/notices/notices'],
    [
      {
        breaks: 'one mail to a reader at a time',
        from: 'if (due.lastMail !== null && (await isUnsent(tx, due.lastMail)))',
        to: 'if (due.lastMail !== null && due.memberId === null)',
      },
      {
        breaks: 'a mail goes to the address that the reader has by now',
        from: 'if (written === null || written.reader.email !== to) return null',
        to: 'if (written === null) return null',
      },
      {
        breaks: 'a mail that cannot be written waits',
        from: 'await putOffReader(db, due, FAULT_MINUTES)',
        to: 'throw fault',
      },
    ],
  ),
  ...of(
    'attention/notices/new-trouble-store.ts',
    ['src/attention/notices/notices'],
    [
      {
        breaks: 'what was settled before it is sent is not told of',
        from: 'where  ${postMark(sql)} = n.mark and ${isTroubledPost(sql)}',
        to: 'where true',
      },
    ],
  ),
  ...of(
    'attention/notices/reader-store.ts',
    ['src/attention/notices/notices'],
    [
      {
        breaks: 'a member is told of what their role may see',
        from: '.filter((kind) => roleHas(role, noticeKinds[kind].right))',
        to: '',
      },
      {
        breaks: 'who was removed is not told of anything',
        from: 'm.removed_at is null and (${memberId}::uuid is null',
        to: '(${memberId}::uuid is null',
      },
    ],
  ),
  ...of(
    'edge/operations/keyed-list.ts',
    ['src/content/posts/create/keyed-batch'],
    [
      {
        breaks: 'a list under a key is the same but for rows that were refused',
        from: 'left.length === 0 && rows.filter((row) => row === null).length <= answers.length - made.length',
        to: 'left.length === 0',
      },
      {
        breaks: 'a list under a key has all that it made',
        from: 'left.length === 0 && rows.filter((row) => row === null).length <= answers.length - made.length',
        to: 'rows.filter((row) => row === null).length <= answers.length - made.length',
      },
    ],
  ),
  ...of(
    'engine/publication/refused-calls.ts',
    ['src/engine/publication/refused-calls', 'src/engine/publication/publish-destination'],
    [
      {
        breaks: 'what was refused and is out all the same is not called refused',
        from: "if (shown === 'out') return REFUSED_BUT_OUT",
        to: '',
      },
      {
        breaks: 'a refusal counts once the network was asked',
        from: "return refusal.is === 'rejected' && status !== 401 ? REFUSED_AND_NOT_ASKED : refusal",
        to: 'return refusal',
      },
    ],
  ),
  ...of(
    'content/posts/command/reschedule-post.ts',
    ['src/content/posts/command/cancel-post', 'test/later-times'],
    [
      {
        breaks: 'a move of a whole post knows how it stands',
        from: "if (post.editToken !== editToken) return refuseStale('stale_edit_token', post, standingOf(post))",
        to: '',
      },
      {
        breaks: 'the rest of a thread takes no posting time with its post',
        from: 'if (takesSlots && movable.some(isRest)) return refuseRestInQueue()',
        to: '',
      },
    ],
  ),
  ...of(
    'content/posts/command/cancel-post.ts',
    ['src/content/posts/command/cancel-post'],
    [
      {
        breaks: 'a cancel of a whole post knows how it stands',
        from: "if (post.editToken !== editToken) return refuseStale('stale_edit_token', post, standingOf(post))",
        to: '',
      },
    ],
  ),
  ...of(
    'platform/outbound/http-exchange.ts',
    ['src/platform/outbound/outbound-http'],
    [
      {
        breaks: 'a call begins in its time or never',
        from: 'else if (this.#limits.mayBegin?.() === false) this.#abort(new TooLate())',
        to: '',
      },
    ],
  ),
  ...of(
    'platform/outbound/guarded-socket.ts',
    ['src/platform/outbound/guarded-socket'],
    [
      {
        breaks: 'a message to a relay begins in its time or never',
        from: 'if (!mayBegin()) return ended.resolve(TOO_LATE)',
        to: '',
      },
    ],
  ),
  ...of(
    'engine/queue/late-post.ts',
    ['src/engine/queue/late-post-store'],
    [
      {
        breaks: 'a post under another id is a second one',
        from: "part.remoteId === remoteId ? 'known' : 'second'",
        to: "'known'",
      },
      {
        breaks: 'a doubt is ended by a call of the same content only',
        from: "sameDoubt ? 'proof' : 'kept'",
        to: "sameDoubt !== null ? 'proof' : 'kept'",
      },
    ],
  ),
  ...of(
    'engine/webhooks/endpoint-right.ts',
    ['src/engine/webhooks/own-endpoints'],
    [
      {
        breaks: 'an endpoint has the events that its member may read by now',
        from: ' and m.role = any(${[...ROLES]}::text[])',
        to: '',
      },
    ],
  ),
  ...of(
    'content/bulk/work-runs.ts',
    ['src/content/bulk/bulk-runs'],
    [
      {
        breaks: 'a bulk run does what its member may do by now',
        from: 'if (caller === null || !roleHas(caller.member.role, right)) {',
        to: 'if (caller === null) {',
      },
    ],
  ),
  ...of(
    'content/imports/read-file.ts',
    ['src/content/imports/read-file'],
    [
      {
        breaks: 'a file has so many posts at most',
        from: 'if (many > job.mostPosts) {',
        to: 'if (many > job.mostPosts * 1_000) {',
      },
      {
        breaks: 'what a file says for all channels has a limit',
        from: 'if (characters > MOST_CHARACTERS) return',
        to: 'if (text.length > MOST_CHARACTERS) return',
      },
    ],
  ),
  ...of(
    'engine/destinations/destination-store.ts',
    ['src/engine/queue/lock-rules', 'test/later-times'],
    [
      {
        breaks: 'channels are locked in the order of their ids',
        from: 'order  by w.workspace_id, w.channel_id',
        to: 'order  by w.channel_id desc',
      },
      {
        breaks: 'the rest of a thread goes back to what it was',
        from: "error = d.refused_rest -> 'error', refused_rest = null",
        to: 'error = null, refused_rest = null',
      },
    ],
  ),
  ...of(
    'engine/destinations/destination-commands.ts',
    ['src/engine/destinations/destination-commands'],
    [
      {
        breaks: 'only what was refused halfway is gone on with',
        from: "const isMeant = command === 'retry' ? refusedHalfway : restWaits",
        to: "const isMeant = command === 'retry' || refusedHalfway || restWaits",
      },
      {
        breaks: 'the rest of a thread is not cancelled while a call of it is in doubt',
        from: "command === 'cancel' && ((facts.partOut && ofRest === null) || facts.doubt)",
        to: "command === 'cancel' && facts.partOut && ofRest === null",
      },
    ],
  ),
  ...of(
    'content/posts/plan/planned-store.ts',
    ['test/later-times'],
    [
      {
        breaks: 'the rest of a thread is stopped with the key that gave its time',
        from: '[...planned, ...rests].map(({ id }) => id)',
        to: 'planned.map(({ id }) => id)',
      },
    ],
  ),
  ...of(
    'engine/queue/settle-store.ts',
    ['test/later-times'],
    [
      {
        breaks: 'a rest of which more is out no longer waits for its time',
        from: "case when h.part_status is distinct from 'published' and not h.ends_thread then d.refused_rest end",
        to: 'd.refused_rest',
      },
      {
        breaks: 'what a restore held goes out at its time',
        from: "h.due_in_ms is not null and h.next_status in ('scheduled', 'partially_published')",
        to: "h.due_in_ms is not null and h.next_status = 'scheduled'",
      },
    ],
  ),
  ...of(
    'media/sweep-storage.ts',
    ['src/media/sweep-storage'],
    [
      {
        breaks: 'nothing is removed from a storage that another database has under the same id',
        from: 'if (await isContested(db)) return 0',
        to: '',
      },
    ],
  ),
  ...of(
    'media/claim-storage.ts',
    ['src/media/claim-storage'],
    [
      {
        breaks: 'a storage in which there is something is not taken over',
        from: 'if (!(await storage.isEmpty())) return null',
        to: '',
      },
    ],
  ),
  {
    file: 'contract/src/plan/measure-text.ts',
    breaks: 'a text that nests deep is not parsed',
    from: 'if (columns.length + flow > MOST_LEVELS)',
    to: 'if (columns.length + flow > MOST_LEVELS * 1_000)',
    tests: ['contract/src/plan/parse-text.test.ts'],
  },
  {
    file: 'contract/src/tag-links.ts',
    breaks: 'a link that has a tag gets none again',
    from: '[...new URL(link).searchParams.keys()].some((name) => names.has(name.toLowerCase()))',
    to: 'names.size === 0',
    tests: ['contract/src/tag-links.test.ts'],
  },
]
