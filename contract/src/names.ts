/** The part of the contract without schemas, which take longer to load than most commands to run. */
export * from './app/roles.ts'
export * from './browser-name.ts'
export * from './credential-defaults.ts'
export * from './decode-text.ts'
export * from './permissions.ts'
export * from './statuses.ts'
export * from './tag-links.ts'
export * from './weekdays.ts'
