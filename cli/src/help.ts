import type { Command, Options } from './command.ts'
import { commands, common, withCommon } from './commands.ts'

export async function generalHelp(): Promise<string> {
  const { operatorCommands } = await import('./operator/commands.ts')
  return `postrider: publishes posts for you, and never twice.

With a login, from anywhere; on the machine of a server, by its own \`postrider\`, also without one:
${listed(Object.entries(commands).map(([name, command]) => nameLine(name, command)))}

On the machine of a server, by its own \`postrider\` and without a login:
${listed(await operatorLines(Object.keys(operatorCommands)))}

Every command takes:
${listed(optionLines(common))}

\`postrider <command> --help\` shows more about one. A login comes from \`postrider login\`, or comes from POSTRIDER_KEY and POSTRIDER_URL.
Exit codes: 0 done, 1 refused or failed, 2 not understood, 3 not logged in or not permitted, 4 not found,
5 unknown whether it happened, 6 server not reached.
On the machine of a server, \`npm run postrider -- --help\` lists the commands that need the machine itself, too.
`
}

/** The commands that begin with one word. */
export async function groupHelp(group: string): Promise<string> {
  const { operatorCommands } = await import('./operator/commands.ts')
  const names = Object.keys(operatorCommands).filter((name) => name.startsWith(`${group} `))
  return `On the machine of a server, by its own \`postrider\` and without a login:\n${listed(await operatorLines(names))}\n`
}

async function operatorLines(names: readonly string[]) {
  const { commandFor } = await import('./operator/commands.ts')
  return names.flatMap((name) => {
    const command = commandFor(name)
    return command === null ? [] : [nameLine(name, command)]
  })
}

function nameLine(name: string, { takes = [], says }: Command) {
  return { name: [name, ...takes].join(' '), says }
}

export function commandHelp(name: string, command: Command): string {
  const { says, more, takes = [] } = command
  return `postrider ${[name, ...takes].join(' ')}

${more === undefined ? says : `${says} ${more}`}

${listed(optionLines(withCommon(command)))}
`
}

function optionLines(options: Options) {
  return Object.entries(options).map(([name, { value, says, choices }]) => ({
    name: `--${name}${value === undefined ? '' : ` ${value}`}`,
    says: choices === undefined || choices.length <= 4 ? says : `${says} One of ${choices.join(', ')}.`,
  }))
}

const WIDTH = 24

function listed(lines: readonly { name: string; says: string }[]): string {
  return lines
    .map(
      ({ name, says }) =>
        `  ${name.length < WIDTH ? name.padEnd(WIDTH) : `${name}\n  ${' '.repeat(WIDTH)}`}${says}`,
    )
    .join('\n')
}
