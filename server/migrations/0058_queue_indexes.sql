-- migrate: concurrently
-- Each with the times that it is asked for alone: without that, whoever looks for what waits on a channel could read one of them
-- from end to end, which seems cheap while statistics say that nothing waits.
create index concurrently if not exists destination_due_at on destination (due_at, workspace_id, channel_id, id)
  where status in ('scheduled', 'delayed', 'partially_published') and due_at is not null;
create index concurrently if not exists destination_expires_at on destination (expires_at)
  where status in ('scheduled', 'delayed', 'reconnect_required', 'partially_published') and expires_at is not null;
