// Fails when a link in a Markdown file leads to a file or a heading that is not there.
import { readdirSync, readFileSync, existsSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
const FOLDERS = ['.', 'docs', 'bench', 'sdk', 'contract', 'dashboard', 'sandbox-network', 'integrations']

const pages = FOLDERS.flatMap((folder) => {
  const recursive = folder !== '.'
  return readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(root, folder, name))
})

const faults = pages.flatMap((page) =>
  linksOf(readFileSync(page, 'utf8')).flatMap((link) => {
    const fault = faultOf(page, link)
    return fault === null ? [] : [`${relative(root, page)}: ${link}: ${fault}`]
  }),
)
for (const fault of faults) console.log(fault)
if (faults.length > 0) process.exitCode = 1

function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = '']) => link)
}

/** Addresses are not asked, and paths from the root are those of a running server. */
function faultOf(page: string, link: string): string | null {
  if (/^([a-z]+:|\/)/.test(link)) return null
  const [path = '', heading] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(target)) return 'no such file'
  if (heading === undefined || !statSync(target).isFile()) return null
  return headingsOf(readFileSync(target, 'utf8')).includes(heading) ? null : 'no such heading'
}

/** As GitHub makes them: lower case, without punctuation, a hyphen for each space. */
function headingsOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
}
