/** A recovery from a crash right after it takes a moment, even in memory. */
export const MUCH_WORK =
  "drop table if exists filled; create table filled as select g, repeat('x', 500) as p from generate_series(1, 150000) g"
