import type { Operation } from '../operation.ts'
import * as apps from './apps.ts'
import * as approvals from './approvals.ts'
import { readAttention } from './attention.ts'
import { listAudit } from './audit.ts'
import * as channels from './channels.ts'
import { listEventLog } from './events.ts'
import * as keys from './keys.ts'
import * as me from './me.ts'
import { changeMyNotices, readMyNotices } from './notices.ts'
import { findMedia, listPostsWithMedia, playMedia } from './media.ts'
import * as bulkRuns from './bulk-runs.ts'
import { movePost, resolveDestination, revisePost, sharedOperations } from './posts.ts'
import { readTimeline } from './timeline.ts'
import { readCalendarOverview } from './calendar.ts'
import { readToday } from './today.ts'
import * as webhooks from './webhooks.ts'
import * as workspaces from './workspaces.ts'

/** Everything that people can do, in the order the documentation shows it. */
export const appOperations: readonly Operation[] = [
  me.beginPasskeySignIn,
  me.signInWithPasskey,
  me.signOut,
  me.beginPasskeyProof,
  me.proveWithPasskey,
  me.readPersonalMe,
  me.changeMyName,
  me.changeMyPreferences,
  me.listMySessions,
  me.endMySession,
  me.endMyOtherSessions,
  me.readSecondFactors,
  me.listPasskeys,
  me.offerPasskey,
  me.registerPasskey,
  workspaces.createWorkspace,
  workspaces.readWorkspace,
  workspaces.updateWorkspace,
  workspaces.listMembers,
  workspaces.changeMemberRole,
  workspaces.removeMember,
  workspaces.leaveWorkspace,
  workspaces.transferOwnership,
  workspaces.listInvitations,
  workspaces.inviteMember,
  workspaces.revokeInvitation,
  keys.listKeys,
  keys.createKey,
  keys.limitKey,
  keys.revokeKey,
  keys.stopKey,
  apps.listApps,
  apps.limitApp,
  apps.revokeApp,
  apps.stopApp,
  webhooks.listEndpoints,
  webhooks.createEndpoint,
  webhooks.updateEndpoint,
  webhooks.rotateEndpointSecret,
  webhooks.disableEndpoint,
  webhooks.enableEndpoint,
  webhooks.deleteEndpoint,
  webhooks.testEndpoint,
  webhooks.listDeliveries,
  webhooks.listDeliveryAttempts,
  webhooks.resendDelivery,
  webhooks.replayDeliveries,
  readToday,
  readCalendarOverview,
  readAttention,
  readMyNotices,
  changeMyNotices,
  approvals.listApprovals,
  approvals.readApproval,
  approvals.decideApproval,
  approvals.undoDecision,
  channels.listManagedChannels,
  channels.readChannelPicture,
  channels.listNetworks,
  channels.connectChannel,
  channels.createConnectLink,
  channels.readConnectLink,
  channels.connectSandboxChannel,
  channels.reconnectSandboxChannel,
  channels.disableChannel,
  channels.enableChannel,
  channels.renameChannel,
  channels.removeChannel,
  channels.checkConnection,
  channels.listChannelGroups,
  channels.createChannelGroup,
  channels.changeChannelGroup,
  channels.deleteChannelGroup,
  channels.previewPostingTimes,
  channels.setPostingTimes,
  channels.listFreePostingTimes,
  ...sharedOperations,
  revisePost,
  movePost,
  bulkRuns.startBulkRun,
  bulkRuns.decideApprovals,
  bulkRuns.listBulkRuns,
  bulkRuns.readBulkRun,
  bulkRuns.stopBulkRun,
  bulkRuns.undoBulkRun,
  resolveDestination,
  readTimeline,
  findMedia,
  listPostsWithMedia,
  playMedia,
  listEventLog,
  listAudit,
]
