/* A media worker: decodes untrusted files. */
import { serveJobs } from '../platform/process/serve-jobs.ts'
import { runMediaJob } from './run-media-job.ts'

serveJobs(runMediaJob)
