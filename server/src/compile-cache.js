import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Compiling the modules would take longer than most commands. The folder belongs to the user who installed; where it cannot
// be written, every start compiles anew.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/postrider'))
