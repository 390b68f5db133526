-- migrate: concurrently
-- Channels and endpoints of all workspaces that need attention, looked for every minute. Few rows.
create index concurrently if not exists channel_disconnected on channel (workspace_id, id)
  where connection_status <> 'connected';
create index concurrently if not exists channel_authorization_ends on channel (authorization_ends_at)
  where authorization_ends_at is not null;
create index concurrently if not exists endpoint_given_up on endpoint (workspace_id)
  where status = 'disabled' and disabled_reason in ('failing', 'secret_lost');
