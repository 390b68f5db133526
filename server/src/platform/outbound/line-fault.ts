import { lineFault } from '@postrider/contract/names'

/** What is wrong with a text that must be a line, as a sentence that begins with its name, and what to do; null for nothing. */
export function faultOfLine(name: string, text: string): string | null {
  const fault = lineFault(text)
  switch (fault?.is) {
    case undefined:
      return null
    case 'break':
      return `${name} holds a line break (${fault.character}). Write it in one line.`
    case 'control':
      return `${name} holds a control character (${fault.character}). Remove it.`
    case 'direction':
      return `${name} holds an invisible character that changes the direction of writing (${fault.character}). Remove it.`
    case 'unseen':
      return `${name} has only spaces or invisible characters. Write something that can be seen.`
  }
}
