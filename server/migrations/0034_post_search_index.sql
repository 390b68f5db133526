-- migrate: concurrently
create index concurrently if not exists post_search_grams on post_search 
  using gin (search_grams(search_key(workspace_id), folded));
