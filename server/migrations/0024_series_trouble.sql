-- migrate: concurrently
-- What operators and people are told of series: occurrences whose posts were refused, and series that stand still. Few rows.
create index concurrently if not exists series_occurrence_waiting on series_occurrence (workspace_id, series_id)
  where status = 'waiting';
create index concurrently if not exists series_paused on series (workspace_id)
  where status = 'paused';
