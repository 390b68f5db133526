/** Where the requests of the operator go, and what proves them: the server's own `postrider` says so, and nobody types it. */
export const OPERATOR_URL = 'POSTRIDER_OPERATOR_URL'
export const OPERATOR_TOKEN = 'POSTRIDER_OPERATOR_TOKEN'
/** `ipc` where the process that started this one makes further tokens. */
export const CALLED_BY = 'POSTRIDER_CALLED_BY'
