-- migrate: concurrently
-- Whose time is more than an hour before that of the id (UUIDv7): only clocks that differ bring it about.
create index concurrently if not exists destination_backdated on destination (workspace_id, post_id)
  where publish_at - uuid_extract_timestamp(post_id) < interval '-1 hour'
     or published_at - uuid_extract_timestamp(post_id) < interval '-1 hour';
