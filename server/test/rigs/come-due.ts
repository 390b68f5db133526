import type { Db } from '../../src/platform/postgres/db.ts'

/**
 * Has what is scheduled of the post come due now. A time a moment ahead, which a test would ask for instead, is over before a busy
 * machine has read it, and then refused.
 */
export async function comeDue(db: Db, postId: string): Promise<void> {
  await db`
    update destination set publish_at = now(), due_at = now()
    where  post_id = ${postId} and status = 'scheduled'`
  await db.notify('postrider_due', '')
}
