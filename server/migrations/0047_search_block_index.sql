-- migrate: concurrently
create index concurrently if not exists post_search_blocks on post_search using gin (
  array_append(search_grams(search_key(workspace_id, post_id, 5), folded), search_key(workspace_id, post_id, 4)))
  with (gin_pending_list_limit = 256);
