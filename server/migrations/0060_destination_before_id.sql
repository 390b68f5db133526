-- migrate: concurrently
-- For databases that have had the former text of 0054.
create index concurrently if not exists destination_before_id on destination (workspace_id, post_id)
  where least(publish_at, published_at)
        - to_timestamp(('x' || translate(left(post_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) < interval '-1 hour';
