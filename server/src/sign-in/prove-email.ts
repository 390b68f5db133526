import type { Tx } from '../platform/db.ts'
import { notifyPerson } from './notify-person.ts'
import { markEmailProven, type SignInFacts } from './person-sign-in-store.ts'
import { personalAct } from './personal-act.ts'
import { countWorkingCredentials, type WaysIn, withdrawWaysIn } from './ways-in-store.ts'
import type { ClientInfo } from './session-store.ts'
import type { PeopleParts } from './sign-in.ts'

/**
 * It was shown that the person reads mail sent to their address; every way of showing it of an account that there is ends here, in the transaction
 * that it is shown in. The first time, the account may have been made by another holder of a link that was handed over: what
 * such a holder added to it (passkeys, authenticator app with recovery codes, identities at providers, sessions, links, what
 * is under way) is withdrawn. Two things stay: the session that shows it, with the password by which it was opened, and what
 * acts in one workspace alone (agent keys, connected apps): that workspace had admitted the holder of the link, its owners see
 * and stop them, and a stop cancels posts for good. Gives what is to be told on the page, in sentences; null for nothing. The
 * same is mailed.
 */
export async function proveEmail(
  tx: Tx,
  { recordAct, mail }: Pick<PeopleParts, 'recordAct' | 'mail'>,
  person: Pick<SignInFacts, 'personId' | 'name' | 'email'>,
  client: ClientInfo,
  { keptSession = null }: { keptSession?: string | null } = {},
): Promise<string | null> {
  const { personId } = person
  if (!(await markEmailProven(tx, personId))) return null
  const [withdrawn, working] = await Promise.all([
    withdrawWaysIn(tx, personId, keptSession),
    countWorkingCredentials(tx, personId),
  ])
  const told = wordsOfProof(withdrawn, working)
  if (told === null) return null
  await recordAct(tx, personalAct(person, client, 'proveEmail', { after: { withdrawn, working } }))
  await notifyPerson(tx, mail, person, 'emailProven', client, told)
  return told
}

/** What became of the account when its address was proven, in sentences; null when there was nothing to withdraw or to look at. */
function wordsOfProof(
  { passkeys, authenticator, identities, sessions }: WaysIn,
  { keys, apps }: { keys: number; apps: number },
): string | null {
  const withdrawn = [
    counted(passkeys, 'passkey'),
    authenticator ? 'its authenticator app with the recovery codes' : null,
    counted(identities, 'connection with an identity provider', 'connections with an identity provider'),
    counted(sessions, 'session'),
  ].filter((one) => one !== null)
  const working = [counted(keys, 'agent key'), counted(apps, 'connected app')].filter((one) => one !== null)
  const sentences = [
    withdrawn.length === 0
      ? null
      : `Your address is confirmed for the first time, so what was added to the account before was removed: ${listed(withdrawn)}. Set up again what is yours.`,
    working.length === 0
      ? null
      : `${listed(working)} that the account had before still work in its workspaces: stop those that are not yours.`,
  ].filter((one) => one !== null)
  return sentences.length === 0 ? null : sentences.join(' ')
}

function counted(count: number, one: string, many = `${one}s`): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
