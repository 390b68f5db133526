import { generatePostDrafts, generatePostImage, listAiModels } from './ai.ts'
import { listChannels } from './channels.ts'
import {
  cancelDestination,
  changeChannels,
  editPost,
  requestApproval,
  rescheduleDestination,
  retryDestination,
  scheduleDestination,
} from './commands.ts'
import { listEvents } from './events.ts'
import { readMe } from './me.ts'
import {
  createUploadAddress,
  deleteMedia,
  listMedia,
  readMedia,
  readMediaContent,
  updateMedia,
  uploadMedia,
} from './media.ts'
import { labelPosts, listLabels, readLabelResults } from './label-operations.ts'
import type { Operation } from './operation.ts'
import {
  createOwnEndpoint,
  deleteOwnEndpoint,
  listOwnDeliveries,
  listOwnDeliveryAttempts,
  listOwnEndpoints,
  readOwnEndpoint,
  replayOwnDeliveries,
  resendOwnDelivery,
  rotateOwnEndpointSecret,
  testOwnEndpoint,
} from './own-webhooks.ts'
import { checkPost } from './post-checks.ts'
import { exportPosts, importPosts } from './imports.ts'
import { checkPosts, createPost, createPosts, listPosts, readCalendar, readPost } from './posts.ts'
import {
  createSeries,
  editSeries,
  listSeries,
  readSeries,
  setSeriesStatus,
  skipOccurrence,
} from './series.ts'
import { changeTemplate, createTemplate, deleteTemplate, listTemplates, readTemplate } from './templates.ts'

/** Everything the Agent API can do, in the order the documentation shows it. */
export const operations: readonly Operation[] = [
  readMe,
  listChannels,
  readCalendar,
  checkPost,
  checkPosts,
  listPosts,
  readPost,
  createPost,
  createPosts,
  importPosts,
  exportPosts,
  editPost,
  changeChannels,
  scheduleDestination,
  rescheduleDestination,
  cancelDestination,
  retryDestination,
  requestApproval,
  labelPosts,
  listLabels,
  readLabelResults,
  createSeries,
  listSeries,
  readSeries,
  editSeries,
  skipOccurrence,
  setSeriesStatus,
  createTemplate,
  listTemplates,
  readTemplate,
  changeTemplate,
  deleteTemplate,
  uploadMedia,
  createUploadAddress,
  listMedia,
  readMedia,
  readMediaContent,
  updateMedia,
  deleteMedia,
  generatePostDrafts,
  generatePostImage,
  listAiModels,
  listEvents,
  listOwnEndpoints,
  createOwnEndpoint,
  readOwnEndpoint,
  rotateOwnEndpointSecret,
  testOwnEndpoint,
  listOwnDeliveries,
  listOwnDeliveryAttempts,
  resendOwnDelivery,
  replayOwnDeliveries,
  deleteOwnEndpoint,
]
