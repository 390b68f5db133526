-- migrate: concurrently
create index concurrently if not exists channel_queue_announce on channel_queue (announce_at) where announce_at < 'infinity';
create index concurrently if not exists destination_scheduled on destination (workspace_id, channel_id, due_at) where status = 'scheduled';
