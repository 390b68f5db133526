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
const SECRETS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'password',
  'secret',
  'accessToken',
  'refreshToken',
])

/** The log of this process: one JSON object per line, with ISO times and without secrets. */
export function createLog({ level, pretty = false, destination }: LogOptions): Log {
  const target = destination ?? linesTo(1)
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (line) => sealSecrets(line) },
      serializers: { err: faultView },
    },
    pretty ? { write: (line: string) => target.write(prettyLine(line)) } : target,
  )
}

/** So much is kept of what cannot be written, such as while the disk is full; what is beyond that is lost. */
const UNWRITTEN_MAX_BYTES = 1_048_576

/** The lines of one turn of the event loop are written together: to write takes longer than to make them. */
export function linesTo(fd: number): DestinationStream & { flushSync(): void } {
  const target = pino.destination({ dest: fd, sync: true, maxLength: UNWRITTEN_MAX_BYTES })
  // The work continues without a log: what is kept goes before the next lines.
  target.on('error', () => {})
  let waiting = ''
  function flushSync(): void {
    const lines = waiting
    waiting = ''
    if (lines !== '') target.write(lines)
  }
  process.once('exit', flushSync)
  return {
    // pino asks for it after a line of level fatal.
    flushSync,
    write(line) {
      if (waiting === '') setImmediate(flushSync)
      waiting += line
    },
  }
}

/** A look at each name: pino's own paths take ten times as long for a line, and most lines have nothing to seal. */
function sealSecrets(fields: Record<string, unknown>, isTop = true): Record<string, unknown> {
  let shown = fields
  for (const [name, value] of Object.entries(fields)) {
    const sealed = SECRETS.has(name)
      ? '[sealed]'
      : isTop && isPlain(value)
        ? sealSecrets(value, false)
        : value
    if (sealed === value) continue
    if (shown === fields) shown = { ...fields }
    shown[name] = sealed
  }
  return shown
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Error) && !Array.isArray(value)
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
