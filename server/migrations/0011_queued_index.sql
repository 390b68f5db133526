-- migrate: concurrently
-- No posting time is held twice. What is last in the queue of a channel is found here, too.
create unique index concurrently if not exists destination_queued on destination (workspace_id, channel_id, publish_at)
  where queued and filed_as not in ('cancelled', 'expired', 'failed');
