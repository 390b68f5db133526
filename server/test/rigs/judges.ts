import { join } from 'node:path'
import { installPackages } from '../../../tools/installed-packages.ts'

/** The folder with the packages of others that judge ours: linters of OpenAPI, a conformance suite, a verifier of signatures. */
export async function judges(): Promise<string> {
  return join(await installPackages(join(import.meta.dirname, 'judges')), 'node_modules')
}
