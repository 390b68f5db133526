// Loaded before the product (NODE_OPTIONS).
import { findPostgresAt } from './other-postgres.ts'

const { OTHER_POSTGRES = '' } = process.env
findPostgresAt(OTHER_POSTGRES)
