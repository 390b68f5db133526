import { Command } from 'commander'
import { addAppCommands } from '../src/commands/app.ts'
import { addApprovalCommands } from '../src/commands/approval.ts'
import { addChannelCommands } from '../src/commands/channel.ts'
import { outputTo, runCommandLine } from '../src/commands/command-line.ts'
import { addKeyCommands } from '../src/commands/key.ts'
import { addMemberCommands } from '../src/commands/member.ts'
import { addOwnerCommands } from '../src/commands/owner.ts'
import { addPostCommands } from '../src/commands/post.ts'
import { readSettings } from '../src/commands/read-settings.ts'
import { addWorkspaceCommands } from '../src/commands/workspace.ts'

export type CommandRun = { exitCode: number; said: string; errors: string }

/** `postrider …` as a person types it, with these settings, in this process. */
export function commandLineWith(env: Record<string, string>, secrets: readonly string[] = []) {
  const left = [...secrets]
  return async (...args: string[]): Promise<CommandRun> => {
    let said = ''
    let errors = ''
    const write = (text: string) => void (said += text)
    const writeError = (text: string) => void (errors += text)
    const program = new Command('postrider').option('--json', 'answer in JSON')
    const commandLine = {
      config: async () => readSettings(env),
      output: outputTo(write),
      askSecret: async () => left.shift() ?? '',
    }
    addAppCommands(program, commandLine)
    addApprovalCommands(program, commandLine)
    addChannelCommands(program, commandLine)
    addKeyCommands(program, commandLine)
    addMemberCommands(program, commandLine)
    addOwnerCommands(program, commandLine)
    addPostCommands(program, commandLine)
    addWorkspaceCommands(program, commandLine)
    const exitCode = await runCommandLine(args, program, { env, write, writeError, isTerminal: false })
    return { exitCode, said, errors }
  }
}
