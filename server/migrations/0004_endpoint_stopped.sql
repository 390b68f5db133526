-- migrate: concurrently
-- owner: webhooks

-- What needs attention, looked for every minute in all workspaces. Few rows. It replaces endpoint_given_up.
create index concurrently if not exists endpoint_stopped on endpoint (workspace_id)
  where status = 'disabled' and disabled_reason in ('failing', 'secret_lost', 'right_lost');
