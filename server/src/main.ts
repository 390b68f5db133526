import { Command } from 'commander'
import { askSecret } from './commands/ask-secret.ts'
import { addApprovalCommands } from './commands/approval.ts'
import { addChannelCommands } from './commands/channel.ts'
import { type Console, outputTo, runCommandLine } from './commands/command-line.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addAppCommands } from './commands/app.ts'
import { addKeyCommands } from './commands/key.ts'
import { addListenCommand } from './commands/listen.ts'
import { addMemberCommands } from './commands/member.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addOwnerCommands } from './commands/owner.ts'
import { addPostCommands } from './commands/post.ts'
import { readSettings } from './commands/read-settings.ts'
import { addResealCommand } from './commands/reseal.ts'
import { addServeCommand } from './commands/serve.ts'
import { addWebhookCommands } from './commands/webhook.ts'
import { addWorkspaceCommands } from './commands/workspace.ts'
import { readEnvironment } from './config/config.ts'
import { version } from './platform/version.ts'

const console: Console = {
  env: readEnvironment(),
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
}
const commandLine = {
  config: async () => readSettings(console.env),
  output: outputTo(console.write),
  askSecret,
}

const program = new Command('postrider')
  .description('Publishes posts to social networks: never twice, never lost, never a guess.')
  .version(version)
  .option('--json', 'answer in JSON')
addServeCommand(program, console)
addMigrateCommand(program, commandLine)
addWorkspaceCommands(program, commandLine)
addOwnerCommands(program, commandLine)
addMemberCommands(program, commandLine)
addKeyCommands(program, commandLine)
addAppCommands(program, commandLine)
addChannelCommands(program, commandLine)
addApprovalCommands(program, commandLine)
addPostCommands(program, commandLine)
addWebhookCommands(program, commandLine)
addListenCommand(program, commandLine)
addDoctorCommand(program, commandLine)
addResealCommand(program, commandLine)

process.exit(await runCommandLine(process.argv.slice(2), program, console))
