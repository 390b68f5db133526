import { createInterface } from 'node:readline'

/**
 * Asks for a secret: on a terminal without showing what is typed, else as the next line of standard input. Secrets are
 * no options of commands, since those can be seen in the list of processes and in the shell's history.
 */
export async function askSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) {
    for await (const line of createInterface({ input: stdin })) return line.trim()
    return ''
  }
  stderr.write(prompt)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let typed = ''
  try {
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        // Ctrl-D ends the input, as everywhere on a terminal.
        if (['\r', '\n', '\u0004'].includes(character)) return typed.trim()
        if (character === '\u0003') {
          // As the signal does, which comes later than the end of this.
          process.exitCode = 130
          process.kill(process.pid, 'SIGINT')
          throw new Error('Interrupted.')
        }
        if (character === '\u007f' || character === '\b') typed = typed.slice(0, -1)
        else typed += character
      }
    }
    return typed.trim()
  } finally {
    stdin.setRawMode(false)
    stderr.write('\n')
  }
}
