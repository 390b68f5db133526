import { Command } from 'commander'
import { addAppCommands } from '../src/commands/app.ts'
import { addApprovalCommands } from '../src/commands/approval.ts'
import { addBackupCommand } from '../src/commands/backup.ts'
import { addChannelCommands } from '../src/commands/channel.ts'
import { type CommandLine, outputTo, runCommandLine } from '../src/commands/command-line.ts'
import { addKeyCommands } from '../src/commands/key.ts'
import { addMemberCommands } from '../src/commands/member.ts'
import { addOwnerCommands } from '../src/commands/owner.ts'
import { addPostCommands } from '../src/commands/post.ts'
import { readSettings } from '../src/commands/read-settings.ts'
import { addResealCommand } from '../src/commands/reseal.ts'
import { addRestoreCommand } from '../src/commands/restore.ts'
import { addWebhookCommands } from '../src/commands/webhook.ts'
import { addWorkspaceCommands } from '../src/commands/workspace.ts'

const calledAs = 'postrider'

export type CommandRun = { exitCode: number; said: string; errors: string }

/** `postrider …` as a person types it, with these settings, in this process. */
export function commandLineWith(env: Record<string, string>, secrets: readonly string[] = []) {
  const left = [...secrets]
  return async (...args: string[]): Promise<CommandRun> => {
    let said = ''
    let errors = ''
    const write = (text: string) => void (said += text)
    const writeError = (text: string) => void (errors += text)
    const program = programOf({
      config: async () => readSettings(env),
      output: outputTo({ write, calledAs }),
      askSecret: async () => left.shift() ?? '',
    })
    const exitCode = await runCommandLine(args, program, {
      env,
      write,
      writeError,
      isTerminal: false,
      calledAs,
    })
    return { exitCode, said, errors }
  }
}

/** Every command that works on the data of an installation. */
export function programOf(commandLine: CommandLine): Command {
  const program = new Command('postrider').option('--json', 'answer in JSON')
  addAppCommands(program, commandLine)
  addApprovalCommands(program, commandLine)
  addBackupCommand(program, commandLine)
  addChannelCommands(program, commandLine)
  addKeyCommands(program, commandLine)
  addMemberCommands(program, commandLine)
  addOwnerCommands(program, commandLine)
  addPostCommands(program, commandLine)
  addResealCommand(program, commandLine)
  addRestoreCommand(program, commandLine)
  addWebhookCommands(program, commandLine)
  addWorkspaceCommands(program, commandLine)
  return program
}
