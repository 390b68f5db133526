import { randomBytes } from 'node:crypto'
import type { AppliedMigration } from '../../platform/postgres/migrate.ts'
import type { FileEntry, FileKind } from '../backup/backup-file.ts'

/** A workspace as it is written into a file. */
export const EXPORT: FileKind = { format: 'postrider-workspace', version: 1, noun: 'exported workspace' }

export type WorkspaceHeader = {
  readonly format: string
  readonly version: number
  readonly release: string
  readonly createdAt: string
  /** What the schema of its rows was made by. */
  readonly migrations: readonly AppliedMigration[]
  readonly workspaceId: string
  readonly name: string
  /** Whether it was stopped where it comes from, to go on where it is imported. */
  readonly frozen: boolean
  /** With which the secrets in the file are sealed, as SECRET_KEYS takes it: those of the installation stay there. */
  readonly fileKey: string
}

export type WorkspaceEntry = FileEntry<WorkspaceHeader>

export function newFileKey(): Buffer {
  return randomBytes(32)
}
