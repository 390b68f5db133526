import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { Account } from './accounts.ts'
import { openStore } from './store.ts'

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const ada: Omit<Account, 'revoked'> = {
  id: 'acc_1',
  handle: 'ada',
  displayName: 'Ada',
  profile: 'short',
  maxCharacters: 280,
  idempotency: 'none',
  authorizedSeconds: null,
  authorizedUntilMs: null,
}

function execute(folder: string, sql: string): void {
  const db = new DatabaseSync(join(folder, 'network.sqlite'))
  db.exec(sql)
  db.close()
}

test('its files can be read by this user alone, also those of a version before', () => {
  const folder = aFolder()
  writeFileSync(join(folder, 'network.sqlite'), '', { mode: 0o644 })
  const store = openStore(folder)
  store.addAccount(ada, 'hash')
  const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])
  store.close()
  expect(modes.map(([, mode]) => mode)).toEqual(modes.map(() => 0o600))
  expect(modes.map(([name]) => name)).toContain('network.sqlite-wal')
})

test('the data of the version before are taken over', () => {
  const folder = aFolder()
  const before = openStore(folder)
  before.addAccount(ada, 'hash')
  before.close()
  execute(
    folder,
    `alter table account drop column authorized_seconds;
     alter table account drop column authorized_until;
     pragma user_version = 1`,
  )

  const after = openStore(folder)
  expect(after.accounts()).toEqual([{ ...ada, revoked: false }])
  after.replaceToken(ada.id, 'other', 5)
  expect(after.accountByTokenHash('other')?.authorizedUntilMs).toBe(5)
  after.close()
})

test('the data of a version that is not known are left alone', () => {
  const folder = aFolder()
  openStore(folder).close()
  execute(folder, 'pragma user_version = 99')
  expect(() => openStore(folder)).toThrow('another version (99)')
})
