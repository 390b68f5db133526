/** What the contract has without schemas: it is loaded in no time, where the schemas take longer than most commands. */
export * from './app/roles.ts'
export * from './credential-defaults.ts'
export * from './permissions.ts'
export * from './statuses.ts'
