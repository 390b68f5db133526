import type { Operation } from '../operation.ts'
import * as approvals from './approvals.ts'
import { listAudit } from './audit.ts'
import * as channels from './channels.ts'
import * as keys from './keys.ts'
import * as me from './me.ts'
import { resolveDestination, sharedOperations } from './posts.ts'
import * as webhooks from './webhooks.ts'
import * as workspaces from './workspaces.ts'

/** Everything that people can do, in the order the documentation shows it. */
export const appOperations: readonly Operation[] = [
  me.signInWithPassword,
  me.signInWithSecondFactor,
  me.requestPasswordReset,
  me.signOut,
  me.proveAgain,
  me.readPersonalMe,
  me.changeMyName,
  me.changeMyPassword,
  me.listMySessions,
  me.endMySession,
  me.endMyOtherSessions,
  me.readSecondFactors,
  me.offerAuthenticator,
  me.confirmAuthenticator,
  me.removeAuthenticator,
  me.renewRecoveryCodes,
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
  webhooks.listEndpoints,
  webhooks.createEndpoint,
  webhooks.updateEndpoint,
  webhooks.rotateEndpointSecret,
  webhooks.disableEndpoint,
  webhooks.enableEndpoint,
  webhooks.testEndpoint,
  webhooks.listDeliveries,
  webhooks.listDeliveryAttempts,
  webhooks.resendDelivery,
  webhooks.replayDeliveries,
  approvals.listApprovals,
  approvals.readApproval,
  approvals.decideApproval,
  channels.listManagedChannels,
  channels.disableChannel,
  channels.enableChannel,
  ...sharedOperations,
  resolveDestination,
  listAudit,
]
