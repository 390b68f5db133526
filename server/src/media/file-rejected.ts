/** Thrown by whatever finds a fault in a file. The message is for the sender of the file. */
export class FileRejected extends Error {
  override name = 'FileRejected'
}
