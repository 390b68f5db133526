-- migrate: concurrently
create index concurrently if not exists destination_last_published on destination (workspace_id, channel_id, published_at)
  where published_at is not null;
