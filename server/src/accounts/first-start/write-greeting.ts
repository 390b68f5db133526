import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Keeps a greeting where only the user of the server can read it; gives its path. That of the first start has an agent key,
 * which is told once: no later one replaces it.
 */
export async function writeGreeting(
  dataDir: string,
  text: string,
  { isFirst }: { isFirst: boolean },
): Promise<string> {
  const path = join(dataDir, isFirst ? 'first-start.txt' : 'greeting.txt')
  // A file that is there may be open to others, or be a link.
  await rm(path, { force: true })
  await writeFile(path, text, { mode: 0o600, flag: 'wx' })
  return path
}
