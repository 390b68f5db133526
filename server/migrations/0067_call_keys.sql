-- The key that a call carries to its network: one for all attempts of a part as it is written. Null for calls of before, whose
-- key was the id of their attempt.
alter table attempt add column key uuid;
