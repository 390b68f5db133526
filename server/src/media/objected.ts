/** Carries an objection to a file, in words for whoever sent it, out of whatever found it. */
export class Objected extends Error {
  override name = 'Objected'
}
