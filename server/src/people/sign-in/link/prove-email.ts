import { revokeInvitationsOf } from '../../members/invitation-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { notifyPerson } from '../notify-person.ts'
import { markEmailProven } from '../../members/person-store.ts'
import type { SignInFacts } from '../person-sign-in-store.ts'
import { personalAct } from '../personal-act.ts'
import { countCredentialsOfOperators, type WaysIn, withdrawWaysIn } from '../ways-in-store.ts'
import type { ClientInfo } from '../session/session-store.ts'
import type { PeopleParts, StoppedCredentials } from '../sign-in.ts'

/**
 * It was shown that the person reads mail sent to their address; every way of showing it of an account that there is ends here, in the transaction
 * that it is shown in. The first time, the account may have been made by another holder of a link that was handed over: what
 * such a holder added to it (passkeys, authenticator app with recovery codes, identities at issuers, sessions, links, what
 * is under way) is withdrawn, as are the invitations that it sent, and agent keys and connected apps that act in its name are stopped. The session that shows it stays,
 * with the password by which it was opened; and so do keys and apps of a person whom the operator has named and given a
 * link, since no other could make that account. Gives what is to be told on the page, in sentences; null for nothing. The
 * same is mailed.
 */
export async function proveEmail(
  tx: Tx,
  { recordAct, mail, stopCredentials }: Pick<PeopleParts, 'recordAct' | 'mail' | 'stopCredentials'>,
  person: Pick<SignInFacts, 'personId' | 'name' | 'email'>,
  client: ClientInfo,
  { keptSession = null }: { keptSession?: string | null } = {},
): Promise<string | null> {
  const { personId } = person
  if (!(await markEmailProven(tx, personId))) return null
  const withdrawn = await withdrawWaysIn(tx, personId, keptSession)
  const working = await countCredentialsOfOperators(tx, personId)
  const isOperators = working !== null
  const invitations = isOperators ? 0 : await revokeInvitationsOf(tx, personId)
  const stopped = isOperators ? { keys: [], apps: [] } : await stopCredentials(tx, person, client)
  const changes = wordsOfProof({ ...withdrawn, invitations }, stopped, working ?? { keys: 0, apps: 0 })
  if (changes === null) return null
  await recordAct(
    tx,
    personalAct(person, client, 'proveEmail', {
      after: { withdrawn: { ...withdrawn, invitations }, stopped, working },
    }),
  )
  await notifyPerson(tx, mail, person, { notice: 'emailProven', more: changes }, client)
  return changes
}

/** What became of the account when its address was proven, in sentences; null when nothing was withdrawn, stopped or is to be looked at. */
function wordsOfProof(
  { passkeys, authenticator, identities, sessions, invitations }: WaysIn & { invitations: number },
  stopped: StoppedCredentials,
  { keys, apps }: { keys: number; apps: number },
): string | null {
  const withdrawn = [
    counted(passkeys, 'passkey'),
    authenticator ? 'its authenticator app with the recovery codes' : null,
    counted(identities, 'connection with an identity provider', 'connections with an identity provider'),
    counted(sessions, 'session'),
    counted(invitations, 'open invitation that it had sent', 'open invitations that it had sent'),
  ].filter((one) => one !== null)
  const ended = [named(stopped.keys, 'agent key'), named(stopped.apps, 'connected app')].filter(
    (one) => one !== null,
  )
  const working = [counted(keys, 'agent key'), counted(apps, 'connected app')].filter((one) => one !== null)
  const sentences = [
    withdrawn.length === 0
      ? null
      : `Your address is confirmed for the first time, so everything added to the account before was removed: ${listed(withdrawn)}. Set up again what is yours.`,
    ended.length === 0
      ? null
      : `Everything that acted in its name was revoked, and what it had scheduled was cancelled: ${listed(ended)}. Create or connect again what is yours.`,
    working.length === 0
      ? null
      : `${listed(working)} that the account had before still work in its workspaces. Revoke those that are not yours.`,
  ].filter((one) => one !== null)
  return sentences.length === 0 ? null : sentences.join(' ')
}

function counted(count: number, one: string, many = `${one}s`): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`
}

/** `2 agent keys (“one”, “another”)` */
function named(names: readonly string[], one: string): string | null {
  const count = counted(names.length, one)
  return count === null ? null : `${count} (${names.map((name) => `“${name}”`).join(', ')})`
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
