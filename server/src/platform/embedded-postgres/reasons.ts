/** Where a line of PostgreSQL's log has its time and process; initdb has its own progress before it. */
const PREFIX = /^.*\d{4}-\d\d-\d\d [\d:.]+ \S+ \[\d+\] /
const REASON = /^(FATAL|PANIC|ERROR|DETAIL|HINT): |^(postgres|initdb): (?!removing|warning)/
const MOST_REASONS = 3

const ADVICE: readonly [said: RegExp, advice: string][] = [
  [/No space left on device/, 'Free some room on that disk.'],
  [
    /insufficient file descriptors|Too many open files/,
    'Raise the limit of open files: `ulimit -n` shows it in a shell, and LimitNOFILE sets it for systemd.',
  ],
  [/Permission denied/, 'Let the user that PostgreSQL runs as enter that folder, and own what is in it.'],
  [/Read-only file system/, 'Mount it so that it can be written.'],
]

/** Of all that a program of PostgreSQL has said, in one line what went wrong, each reason once, and what to do about it. */
export function explainSaid(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(PREFIX, '').trim())
    .filter((line) => line !== '')
  const reasons = lines.filter((line) => REASON.test(line))
  const distinct = [...new Set(reasons.length > 0 ? reasons : lines)]
  const text = distinct.slice(-MOST_REASONS).map(sentence).join(' ')
  const advice = ADVICE.flatMap(([pattern, what]) => (pattern.test(text) ? [what] : []))
  return [text === '' ? 'it said nothing.' : text, ...advice].join(' ')
}

function sentence(line: string): string {
  const text = line.replace(/\s+/g, ' ')
  return text.endsWith('.') ? text : `${text}.`
}
