-- owner: webhooks

-- No query is met by it since `endpoint_stopped` has one reason more.
drop index endpoint_given_up;
