import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './product-files.ts'

/** The release that runs, as its package says. */
export const { version } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8')) as {
  version: string
}

/** The build puts the commit here that it was made of; an image gets its `.git` later. */
declare const BUILT_COMMIT: string | undefined
const built = typeof BUILT_COMMIT === 'undefined' ? 'unknown' : BUILT_COMMIT

/** The commit that runs; `unknown` where there is no repository, and never was. */
export const commit = built === 'unknown' ? readCommit() : built

/** What people are told: the version, and the beginning of the commit. */
export const release = commit === 'unknown' ? version : `${version} (${commit.slice(0, 8)})`

/** The commit that is checked out, of a release that is a clone or an image made of one; else `unknown`. */
export function readCommit(folder = ROOT): string {
  try {
    const git = gitFolder(folder)
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim()
    if (!head.startsWith('ref: ')) return head
    return readRef(git, head.slice('ref: '.length))
  } catch {
    return 'unknown'
  }
}

/** In a further work tree, `.git` is a file that names the folder. */
function gitFolder(folder: string): string {
  const git = join(folder, '.git')
  try {
    const [, named] = /^gitdir: (.+)\n?$/.exec(readFileSync(git, 'utf8')) ?? []
    return named ?? git
  } catch {
    return git
  }
}

function readRef(git: string, ref: string): string {
  const common = commonFolder(git)
  try {
    return readFileSync(join(common, ref), 'utf8').trim()
  } catch {
    const line = readFileSync(join(common, 'packed-refs'), 'utf8')
      .split('\n')
      .find((each) => each.endsWith(` ${ref}`))
    return line?.split(' ')[0] ?? 'unknown'
  }
}

/** Where the branches of all work trees are. */
function commonFolder(git: string): string {
  try {
    return join(git, readFileSync(join(git, 'commondir'), 'utf8').trim())
  } catch {
    return git
  }
}
