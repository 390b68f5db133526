import type { Command, Options } from '../command.ts'
import { usageError } from '../exits.ts'
import { commandFor, groupNames, operatorCommands, singleNames } from '../operator/commands.ts'

/** The commands without those of the operator, and the options of all. */
type Known = { readonly commands: Readonly<Record<string, Command>>; readonly common: Options }

/** `postrider completion bash|zsh|fish` */
export async function printCompletion(shell: string, known: Known): Promise<void> {
  const write = shells[shell]
  if (write === undefined) throw usageError(`It is bash, zsh or fish, and not ${shell}.`)
  process.stdout.write(write(known))
}

const shells: Readonly<Record<string, (known: Known) => string>> = { bash, zsh, fish }

const groups = groupNames()

/** Every command by its words: `list`, `key create`. */
function allCommands({ commands }: Known): [name: string, command: Command][] {
  const own = Object.keys(operatorCommands).flatMap((name): [string, Command][] => {
    const command = commandFor(name)
    return command === null ? [] : [[name, command]]
  })
  return [...Object.entries(commands), ...own]
}

/** What follows the first word of several. */
function secondWords(group: string): string[] {
  return Object.keys(operatorCommands).flatMap((name) => {
    const [first, second = ''] = name.split(' ')
    return first === group ? [second] : []
  })
}

function bash(known: Known): string {
  const { commands, common } = known
  const first = [...Object.keys(commands), ...groups, ...singleNames()].join(' ')
  const cases = allCommands(known).map(([name, { options }]) => {
    const words = Object.keys({ ...options, ...common }).map((option) => `--${option}`)
    return `    ${name.includes(' ') ? `'${name}'` : `${name}' '*`}) words="${words.join(' ')}" ;;`
  })
  const seconds = groups.map((group) => `    ${group}) words="${secondWords(group).join(' ')}" ;;`)
  return `# source <(postrider completion bash)
_postrider() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${first}" -- "$current"))
    return
  fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case \${COMP_WORDS[1]} in
${seconds.map((line) => `  ${line}`).join('\n')}
    esac
    if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); return; fi
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases.join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _postrider postrider
`
}

function zsh(known: Known): string {
  const { common } = known
  const quoted = (text: string) => text.replaceAll(/['`\\[\]:]/g, '')
  const names = [
    ...allCommands(known)
      .filter(([name]) => !name.includes(' '))
      .map(([name, { says }]) => `    '${name}:${quoted(says)}'`),
    ...groups.map((group) => `    '${group}:${secondWords(group).join(', ')}'`),
  ]
  const cases = allCommands(known).map(([name, { options }]) => {
    const specs = Object.entries({ ...options, ...common }).map(
      ([option, { value, says }]) =>
        `'--${option}[${quoted(says)}]${value === undefined ? '' : ': :_files'}'`,
    )
    return `    ${name.includes(' ') ? `'${name}'` : name}) _arguments ${specs.join(' ')} '*: :_files' ;;`
  })
  const seconds = groups.map(
    (group) =>
      `    ${group}) if (( CURRENT == 3 )); then compadd ${secondWords(group).join(' ')}; return; fi; name="$words[2] $words[3]"; shift words; (( CURRENT-- )) ;;`,
  )
  return `#compdef postrider
# source <(postrider completion zsh)
_postrider() {
  local -a names
  names=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command names; return; fi
  local name=$words[2]
  case $name in
${seconds.join('\n')}
  esac
  shift words; (( CURRENT-- ))
  case $name in
${cases.join('\n')}
  esac
}
compdef _postrider postrider
`
}

function fish(known: Known): string {
  const { common } = known
  const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
  const lines = allCommands(known).flatMap(([name, { says, options }]) => {
    const [first = '', second] = name.split(' ')
    const within =
      second === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
    const begins =
      second === undefined
        ? `complete -c postrider -n __fish_use_subcommand -a ${first} -d ${quoted(says)}`
        : `complete -c postrider -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${secondWords(first).join(' ')}' -f -a ${second} -d ${quoted(says)}`
    return [
      begins,
      ...Object.entries({ ...options, ...common }).map(
        ([option, { value, says: means }]) =>
          `complete -c postrider -n '${within}' -l ${option}${value === undefined ? '' : ' -r'} -d ${quoted(means)}`,
      ),
    ]
  })
  const beginnings = groups.map(
    (group) =>
      `complete -c postrider -n __fish_use_subcommand -a ${group} -d ${quoted(secondWords(group).join(', '))}`,
  )
  return `# postrider completion fish | source\n${[...beginnings, ...lines].join('\n')}\n`
}
