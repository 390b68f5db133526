-- A plan that knows the arrays which a function was called with looks cheaper than one that does not, so that PostgreSQL
-- planned anew with each call, which took longer than all that the call does. Their statements reach few rows by keys,
-- whatever the values are: a connection plans them once.
alter function queue_channels(uuid[], uuid[]) set plan_cache_mode = force_generic_plan;
