// `node tools/run-check.ts oxlint …`: runs a program of tools/checks/package.json, which is installed when a check first needs it.
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { installPackages } from './installed-packages.ts'

const [program = '', ...args] = process.argv.slice(2)
const programs = join(await installPackages(join(import.meta.dirname, 'checks')), 'node_modules/.bin')
// They find each other by it.
const path = [programs, process.env['PATH']].join(delimiter)
const { status, error } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, PATH: path } })
if (error !== undefined) throw error
process.exitCode = status ?? 1
