import type { Operation } from '../operation.ts'
import * as apps from './apps.ts'
import * as approvals from './approvals.ts'
import * as channels from './channels.ts'
import * as keys from './keys.ts'
import { resolveDestination, sharedOperations } from './posts.ts'
import * as webhooks from './webhooks.ts'
import * as workspaces from './workspaces.ts'

/**
 * What the command line does on the server's machine without a login: in the name of the workspace's owner, or of the member whom
 * the operator names. Nothing that is about the owner as a person is among it.
 */
export const operatorOperations: readonly Operation[] = [
  workspaces.updateWorkspace,
  workspaces.listMembers,
  workspaces.inviteMember,
  workspaces.listInvitations,
  workspaces.revokeInvitation,
  workspaces.changeMemberRole,
  workspaces.removeMember,
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
  approvals.listApprovals,
  approvals.readApproval,
  approvals.decideApproval,
  channels.listManagedChannels,
  channels.connectChannel,
  channels.createConnectLink,
  channels.readConnectLink,
  channels.connectSandboxChannel,
  channels.reconnectSandboxChannel,
  channels.renameChannel,
  channels.removeChannel,
  channels.disableChannel,
  channels.enableChannel,
  channels.checkConnection,
  resolveDestination,
  workspaces.readWorkspace,
  ...sharedOperations,
]
