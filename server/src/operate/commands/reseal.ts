import type { Command } from 'commander'
import { keysInUse, openSecrets } from '../secrets/open-secrets.ts'
import { resealAll } from '../secrets/reseal.ts'
import { sealedKinds } from '../secrets/sealed-kinds.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { withDatabase } from './session.ts'

const BATCH = 500

type Done = { keyId: string; resealed: number; damaged: string[]; unused: string[] }

/** `postrider reseal` */
export function addResealCommand(program: Command, { config, output }: CommandLine): void {
  program
    .command('reseal')
    .description(
      're-encrypt all stored secrets under the first of the secret keys, so that older keys can be removed',
    )
    .action(async (_options: object, command: Command) => {
      const settings = await config()
      const done = await withDatabase(settings, async ({ db, dataDir }): Promise<Done> => {
        const { keyring } = await openSecrets(db, { secretKeys: settings.secretKeys, dataDir })
        let resealed = 0
        const damaged: string[] = []
        for (const kind of sealedKinds) {
          const batch = await resealAll(db, keyring, kind, BATCH)
          resealed += batch.count
          damaged.push(...batch.damaged.map((id) => `${kind.column} ${id}`))
        }
        await recordOperator(db, null, 'reseal', { after: { keyId: keyring.keyId, resealed } })
        const needed = (await keysInUse(db)).map(({ keyId }) => keyId)
        const unused = keyring.keyIds.slice(1).filter((keyId) => !needed.includes(keyId))
        return { keyId: keyring.keyId, resealed, damaged, unused }
      })
      output(command).answer(done, summaryOf(done))
      if (done.damaged.length > 0) process.exitCode = 1
    })
}

function summaryOf({ keyId, resealed, damaged, unused }: Done): string {
  const lines = [
    resealed === 0
      ? `Everything is encrypted under the key ${keyId} already.`
      : `${resealed} ${resealed === 1 ? 'value is' : 'values are'} encrypted under the key ${keyId} now.`,
  ]
  if (unused.length > 0)
    lines.push(`Not in use any more; remove them once every process has that key: ${unused.join(', ')}.`)
  if (damaged.length > 0) lines.push(`Damaged, and left as they are: ${damaged.join(', ')}.`)
  return lines.join('\n')
}
