import { expect, test } from 'vitest'
import { explainSaid } from './reasons.ts'

test('of what initdb says, what went wrong is told in one line, with what to do', () => {
  const said = `The files belonging to this database system will be owned by user "postgres".

Data page checksums are enabled.

creating configuration files ... ok
running bootstrap script ... 2026-11-23 09:11:13.837 UTC [8625] FATAL:  insufficient file descriptors available to start server process
2026-11-23 09:11:13.837 UTC [8625] DETAIL:  System allows 57, server needs at least 58, 7 files are already open.
child process exited with exit code 1
initdb: removing contents of data directory "/d/postgres.new-UsON5R"`
  expect(explainSaid(said)).toBe(
    'FATAL: insufficient file descriptors available to start server process. DETAIL: System allows 57, server needs at least 58, 7 files are already open. ' +
      'Raise the limit of open files: `ulimit -n` shows it in a shell, and LimitNOFILE sets it for systemd.',
  )
})

test('what each of several starts says is told once', () => {
  const line = 'postgres: could not access directory "/d/postgres": Permission denied\n'
  expect(explainSaid(line.repeat(3))).toBe(
    'postgres: could not access directory "/d/postgres": Permission denied. Let the user that PostgreSQL runs as enter that folder, and own what is in it.',
  )
  const full = `2026-11-23 09:03:09.110 UTC [1] LOG:  starting PostgreSQL 18.4
2026-11-23 09:03:09.120 UTC [1] FATAL:  could not write lock file "postmaster.pid": No space left on device
`
  expect(explainSaid(full.repeat(2))).toBe(
    'FATAL: could not write lock file "postmaster.pid": No space left on device. Free some room on that disk.',
  )
})

test('without a reason, the last lines are told', () => {
  expect(explainSaid('one\ntwo\nthree\nfour\n')).toBe('two. three. four.')
  expect(explainSaid('\n')).toBe('it said nothing.')
})
