-- The defaults wait until a fifth of a table is dead: 200,000 rows of a million, which every claim through a partial
-- index would pass over until then. Tables that change with each post are vacuumed at 2 %, and their statistics, by
-- which claims and feeds are planned, are renewed at 5 %.
alter table post set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05);
alter table destination set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05);
alter table attempt set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05);
alter table delivery set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05);

-- No index of a part holds what a call changes in it: with room on the page its new version stays beside the old one
-- (HOT), no index is written, and the next reader of the page removes what is dead.
alter table part set (
  fillfactor = 85,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05);

-- Written once and removed by housekeeping: what one hour removes must be free before the next one's rows come, or the
-- tables grow by an hour each time.
alter table outbox_event set (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05);
alter table delivery_attempt set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table audit_entry set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table idempotency_record set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
