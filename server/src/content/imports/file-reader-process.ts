/* Reads files that strangers import. */
import { serveJobs } from '../../platform/process/serve-jobs.ts'
import { readFile } from './read-file.ts'
import type { FileJob } from './told-file.ts'

serveJobs(async (job: FileJob) => ({ result: readFile(job) }))
