-- migrate: concurrently
-- Whose time is more than an hour before that of the id (UUIDv7), which are its first 48 bits in milliseconds: only clocks that
-- differ bring it about.
create index concurrently if not exists destination_backdated on destination (workspace_id, post_id)
  where least(publish_at, published_at)
        - to_timestamp(('x' || translate(left(post_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) < interval '-1 hour';
