-- migrate: concurrently
create index concurrently if not exists destination_head on destination (workspace_id, channel_id, due_at, id)
  include (expires_at) where status in ('scheduled', 'delayed', 'partially_published');
