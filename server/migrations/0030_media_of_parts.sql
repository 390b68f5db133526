-- migrate: concurrently
create index concurrently if not exists part_media on part using gin (media_ids) where media_ids <> '{}';
