-- Whether `publish_at` is a posting time of the channel, which this destination holds until it is over or has another time.
alter table destination add column queued boolean not null default false;
