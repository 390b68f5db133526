-- migrate: concurrently
-- What has later occurrences of its series wait. It holds few rows.
create index concurrently if not exists destination_in_series on destination (workspace_id, series_id, channel_id, publish_at)
  where series_id is not null and filed_as in ('checking', 'reconnect_required');
