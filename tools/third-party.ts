import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/* The licenses of what is joined into a bundle: they are passed on with it. */

export const THIRD_PARTY = 'THIRD-PARTY-LICENSES'

const ROOT = join(import.meta.dirname, '..')
const FILES = /^(licen[cs]e|copying|notice|third-party-notices)/i
const TERMS = /permission is hereby|permission to use|redistribution and use/i

/** The text beside a bundle: of each package that these modules are of, its license. Throws where one is not known. */
export function thirdPartyLicenses(modules: Iterable<string>): string {
  const titles = new Map<string, Set<string>>()
  for (const folder of new Set([...modules].flatMap((id) => packageOf(id) ?? []))) {
    const text = licenseOf(folder)
    titles.set(text, new Set([...(titles.get(text) ?? []), titleOf(folder)]))
  }
  const parts = [...titles].map(([text, of]) => `${[...of].toSorted().join('\n')}\n\n${text}\n`)
  return [ABOUT, ...parts.toSorted()].join(`\n${'-'.repeat(80)}\n\n`)
}

const ABOUT = 'The files beside this one contain these packages, under these licenses.\n'

/** Has Vite write it beside what it builds, under this name. */
export function thirdParty(fileName: string = THIRD_PARTY) {
  return {
    name: 'postrider-third-party',
    apply: 'build' as const,
    generateBundle(
      this: { emitFile: (file: { type: 'asset'; fileName: string; source: string }) => unknown },
      _options: unknown,
      bundle: Readonly<Record<string, { type: string; moduleIds?: readonly string[] }>>,
    ) {
      const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds)
      this.emitFile({ type: 'asset', fileName, source: thirdPartyLicenses(modules) })
    },
  }
}

/** The folder of the package that a module is of; of what a bundler adds, its own. */
function packageOf(id: string): string | null {
  const [, bundler] = /^\0(rolldown|vite)\//.exec(id) ?? []
  if (bundler !== undefined) return join(ROOT, 'node_modules', bundler)
  const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
  return folder ?? null
}

type Manifest = {
  name: string
  version: string
  license?: string
  author?: string | { name: string }
  repository?: string | { url: string }
}
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

function titleOf(folder: string): string {
  const { name, version, license = '', repository } = manifestOf(folder)
  const from = typeof repository === 'string' ? repository : repository?.url
  return [`${name} ${version}`, license, from ?? ''].filter((part) => part !== '').join(', ')
}

function licenseOf(folder: string): string {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const names = readdirSync(folder).toSorted()
  const own = names.filter((file) => FILES.test(file)).map((file) => ownPart(read(file)).trim())
  if (own.length > 0) return own.join('\n\n')
  // Some have it in their README alone.
  const told = names.filter((file) => /^readme/i.test(file)).map((file) => sectionOf(read(file)))
  return told.find((text) => TERMS.test(text)) ?? usualText(manifestOf(folder))
}

/** A bundler tells there of what is joined in itself, too, which is not in what it makes. */
const ownPart = (text: string) => text.split(/^# Licenses of bundled dependencies/m)[0] ?? ''

const sectionOf = (readme: string) =>
  /^(?:#+ *licen[cs]e|licen[cs]e\n[-=]{3})[^]*/im.exec(readme)?.[0].trim() ?? ''

/** Of a package that names its license, and has no copy of it. */
function usualText({ name, version, license, author }: Manifest): string {
  if (license === 'Apache-2.0') return readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()
  if (license === 'Unlicense') return 'Released into the public domain: https://unlicense.org'
  const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`)
  const [, terms] =
    /\n(Permission is hereby granted[^]*)$/.exec(
      readFileSync(join(ROOT, 'node_modules/rolldown/LICENSE'), 'utf8'),
    ) ?? []
  if (license === 'MIT' && terms !== undefined) return `Copyright (c) ${holder}\n\n${terms.trim()}`
  throw new Error(`${name} ${version} has no text of its license (${license ?? 'which it does not name'}).`)
}
