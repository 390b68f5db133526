-- migrate: concurrently, replaces 0c705e50ef819da04d5929cefcbebc3a3045d17c26f971a7eee2536467d00f40
-- The former text called a function that PostgreSQL 15 and 16 lack, and built destination_backdated.
-- Whose time is more than an hour before that of the id (UUIDv7), which are its first 48 bits in milliseconds: only clocks that
-- differ bring it about.
create index concurrently if not exists destination_before_id on destination (workspace_id, post_id)
  where least(publish_at, published_at)
        - to_timestamp(('x' || translate(left(post_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) < interval '-1 hour';
