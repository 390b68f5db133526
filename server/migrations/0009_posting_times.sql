-- When posts go out on a channel every week, as minutes since Monday 00:00 by the clocks of its workspace, in order.
alter table channel add column posting_times smallint[] not null default '{}';
