import { join } from 'node:path'

/**
 * The environment of processes that tests start again and again: their code is compiled for the first of them. One that is
 * to be killed has to flush its compile cache itself.
 */
export const COMPILE_ONCE = {
  ...process.env,
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/postrider-tests'),
}
