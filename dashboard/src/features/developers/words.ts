import { german } from '../../lib/language.ts'

const en = {
  runInTerminal: 'run in a terminal',
  putInto: (file: string) => `put into ${file}`,
  webClients: 'Claude and ChatGPT',
  addConnector: 'add as a custom connector',
  connect: 'Connect an agent',
  connectHint: 'Your browser opens. Sign in, then choose a workspace and permissions. No key needed.',
  notReachable: 'Claude and ChatGPT on the web can’t reach this address. They need a public one with HTTPS.',
  reference: 'API reference',
  useKey: 'Use a key',
  setKey: 'Set the key in your shell',
  whoami: 'Check the key’s owner and permissions',
  listChannels: 'List channels',
  draftFor: (name: string) => `Create a draft for ${name}`,
  sample: 'Hello from the API',
}
export type Words = typeof en

export const words: Words = german?.developers ?? en
