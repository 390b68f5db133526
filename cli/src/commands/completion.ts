import type { Context } from '../command.ts'
import { commands, common } from '../commands.ts'
import { usageError } from '../exits.ts'

/** `postrider completion bash|zsh|fish` */
export async function run({ args: [shell = ''] }: Context): Promise<void> {
  const write = shells[shell]
  if (write === undefined) throw usageError(`It is bash, zsh or fish, and not ${shell}.`)
  process.stdout.write(write())
}

function optionsOf(name: string): string[] {
  return Object.keys({ ...commands[name]?.options, ...common }).map((option) => `--${option}`)
}

const shells: Readonly<Record<string, () => string>> = { bash, zsh, fish }

function bash(): string {
  const cases = Object.keys(commands).map((name) => `    ${name}) words="${optionsOf(name).join(' ')}" ;;`)
  return `# source <(postrider completion bash)
_postrider() {
  local current=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${Object.keys(commands).join(' ')}" -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
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

function zsh(): string {
  const quoted = (text: string) => text.replaceAll(/['`\\[\]:]/g, '')
  const names = Object.entries(commands).map(([name, { says }]) => `    '${name}:${quoted(says)}'`)
  const cases = Object.entries(commands).map(([name, { options }]) => {
    const specs = Object.entries({ ...options, ...common }).map(
      ([option, { value, says }]) =>
        `'--${option}[${quoted(says)}]${value === undefined ? '' : ': :_files'}'`,
    )
    return `    ${name}) _arguments ${specs.join(' ')} '*: :_files' ;;`
  })
  return `#compdef postrider
# source <(postrider completion zsh)
_postrider() {
  local -a names
  names=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command names; return; fi
  local name=$words[2]
  shift words; (( CURRENT-- ))
  case $name in
${cases.join('\n')}
  esac
}
compdef _postrider postrider
`
}

function fish(): string {
  const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
  const lines = Object.entries(commands).flatMap(([name, { says, options }]) => [
    `complete -c postrider -n __fish_use_subcommand -a ${name} -d ${quoted(says)}`,
    ...Object.entries({ ...options, ...common }).map(
      ([option, { value, says }]) =>
        `complete -c postrider -n '__fish_seen_subcommand_from ${name}' -l ${option}${value === undefined ? '' : ' -r'} -d ${quoted(says)}`,
    ),
  ])
  return `# postrider completion fish | source\n${lines.join('\n')}\n`
}
