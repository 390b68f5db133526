-- owner: destinations

-- Of a thread of which some is out, and the refused rest is to be sent at `publish_at`: the time and the reason that it goes back to when
-- that is cancelled. Null again once more of it is out, or the rest was refused once more.
alter table destination add column refused_rest jsonb;
