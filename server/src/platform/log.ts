import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

export type LogOptions = {
  level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** One short line for people instead of JSON. */
  pretty?: boolean
  /** Where lines go; standard output when left out. */
  destination?: DestinationStream
}

/** Names under which secrets travel. A log line that holds one of them, at the top or one level down, shows `[sealed]`. */
const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'accessToken', 'refreshToken']
const SEALED = '[sealed]'

/** The log of this process: one JSON object per line, with ISO times and without secrets. */
export function createLog({ level, pretty = false, destination }: LogOptions): Log {
  const target = destination ?? writtenTogether(pino.destination(1))
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: sealNested },
      serializers: { err: faultView },
      redact: { paths: SECRETS, censor: SEALED },
    },
    pretty ? { write: (line: string) => target.write(prettyLine(line)) } : target,
  )
}

/** The lines of one turn of the event loop are written together: to write takes longer than to make them. */
function writtenTogether(target: DestinationStream): DestinationStream & { flushSync(): void } {
  let lines = ''
  let isFirst = true
  function flushSync(): void {
    const written = lines
    lines = ''
    if (written !== '') target.write(written)
  }
  return {
    // pino asks for it after a line of level fatal.
    flushSync,
    write(line) {
      if (isFirst) process.once('exit', flushSync)
      isFirst = false
      if (lines === '') setImmediate(flushSync)
      lines += line
    },
  }
}

/** Seals what stands one level down. Paths of pino's own with a wildcard copy each line twice, which takes longer than all else of it. */
function sealNested(line: Record<string, unknown>): Record<string, unknown> {
  let shown = line
  for (const [name, value] of Object.entries(line)) {
    if (typeof value !== 'object' || value === null) continue
    const secrets = SECRETS.filter((secret) => secret in value)
    if (secrets.length === 0) continue
    shown = {
      ...shown,
      [name]: { ...value, ...Object.fromEntries(secrets.map((secret) => [secret, SEALED])) },
    }
  }
  return shown
}

type FaultView = {
  type: string
  message: string
  code?: string
  constraint?: string
  stack?: string
  cause?: FaultView
}

/** What a log may say about a fault. A database error's own `detail` is left out, because it can quote whole rows. */
function faultView(fault: unknown, depth = 0): FaultView {
  if (!(fault instanceof Error)) return { type: typeof fault, message: String(fault) }
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined
  const constraint =
    'constraint_name' in fault && typeof fault.constraint_name === 'string'
      ? fault.constraint_name
      : undefined
  return {
    type: fault.name,
    message: fault.message,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(fault.stack === undefined ? {} : { stack: fault.stack }),
    ...(fault.cause === undefined || depth === 4 ? {} : { cause: faultView(fault.cause, depth + 1) }),
  }
}

function prettyLine(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>
  const facts = Object.entries(rest).map(([name, value]) => `${name}=${plain(value)}`)
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${plain(err.stack)}` : ''
  const clock = plain(time).slice(11, 23)
  return `${[clock, plain(level).padEnd(5), plain(msg), ...facts].filter((text) => text !== '').join(' ')}${stack}\n`
}

function plain(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
