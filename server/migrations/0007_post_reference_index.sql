-- migrate: concurrently
-- Ordered by bytes, so that it also finds all references that begin alike.
create unique index concurrently if not exists post_reference on post (workspace_id, reference collate "C")
  where reference is not null;
