import { type Context, textOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { placeOption } from '../channels.ts'

const FORMATS = ['plan', 'csv'] as const

/** `postrider export`: posts as a file that makes nothing again when it is applied or imported. */
export async function run(context: Context): Promise<void> {
  const { values, json, client, address, signal } = context
  const plan = textOf(values, 'plan')
  if (plan !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(plan))
    throw usageError(`--plan ${plan} is letters, digits, dots, dashes and underscores.`)
  const format = FORMATS.find((one) => one === (textOf(values, 'format') ?? 'plan'))
  if (format === undefined) throw usageError(`--format is ${FORMATS.join(' or ')}.`)
  const api = client()
  const all = textOf(values, 'status') !== undefined
  const [channelId, label, to] = [
    await placeOption(context, api),
    textOf(values, 'label'),
    textOf(values, 'to'),
  ]
  const from = textOf(values, 'from') ?? (all ? undefined : new Date().toISOString())
  const query = {
    format: format === 'csv' ? format : json ? 'json' : 'yaml',
    status: (textOf(values, 'status') ?? 'scheduled') as 'all',
    ...(plan === undefined || format === 'csv' ? {} : { plan }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(channelId === undefined ? {} : { channelId }),
    ...(label === undefined ? {} : { label }),
  } as const
  const { file } = await api.posts.export(query, { signal })
  // With it, an editor checks the file while it is written.
  const schema = `# yaml-language-server: $schema=${address().replace(/\/$/, '')}/docs/plan.schema.json\n`
  process.stdout.write(query.format === 'yaml' ? schema + file : file)
}
