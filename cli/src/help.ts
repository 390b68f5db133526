import type { Command, Options } from './command.ts'
import { commands, common } from './commands.ts'

export function generalHelp(): string {
  const names = Object.entries(commands).map(([name, { takes = [], says }]) => ({
    name: [name, ...takes].join(' '),
    says,
  }))
  return `postrider: publishes posts for you, and never twice.

${listed(names)}

Every command takes:
${listed(optionLines(common))}

\`postrider <command> --help\` says more of one. A login is kept by \`postrider login\`, or comes from POSTRIDER_KEY and POSTRIDER_URL.
Exit codes: 0 done, 1 refused or failed, 2 not understood, 3 not logged in or not permitted, 4 not found,
5 unknown whether it happened, 6 server not reached.
On the machine of a server, \`npm run postrider\` knows the commands that need its database, too.
`
}

export function commandHelp(name: string, { says, takes = [], options = {} }: Command): string {
  return `postrider ${[name, ...takes].join(' ')}

${says}

${listed(optionLines({ ...options, ...common }))}
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
