export * from './events.ts'
export * from './verify-webhook.ts'
