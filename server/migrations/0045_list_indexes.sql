-- migrate: concurrently
create index concurrently if not exists destination_status on destination (workspace_id, status, post_id);
create index concurrently if not exists destination_channel_status on destination (workspace_id, channel_id, status, post_id);
create index concurrently if not exists post_author on post (workspace_id, created_by_name, id);
create index concurrently if not exists approval_status on approval (workspace_id, status, post_id);
