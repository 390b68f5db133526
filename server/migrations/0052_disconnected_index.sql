-- migrate: concurrently
create index concurrently if not exists destination_disconnected on destination (workspace_id, channel_id, id)
  where status = 'reconnect_required' or (status = 'partially_published' and due_at is null and error ->> 'code' = 'reconnect_required');
