-- migrate: concurrently
-- Lists pass over posts of another status, channel or time without reading their rows.
create unique index concurrently if not exists destination_of_post on destination (workspace_id, post_id, channel_id)
  include (status, publish_at, published_at);
