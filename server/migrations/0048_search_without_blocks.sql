-- Nobody plans by them, and gathering them computes the n-grams of thousands of texts.
alter index post_search_blocks alter column 1 set statistics 0;

-- A process of the release before searches without it until it has ended, and refuses what takes too long. With both, every
-- create would write its n-grams twice.
drop index post_search_grams;
