import type { Encoded } from './values.ts'

const KEPT_BYTES = 65_536

const CODES = { bind: 0x42, close: 0x43, describe: 0x44, execute: 0x45, parse: 0x50, sync: 0x53 } as const
const [STATEMENT, PORTAL] = [0x53, 0x50]
const [AS_TEXT, AS_BYTES] = [0, 1]
const NULL_LENGTH = -1

/**
 * Messages of PostgreSQL's wire protocol (version 3), one behind the other in one piece of memory: a batch is one write, and none
 * of its messages takes memory of its own.
 */
export class Messages {
  #bytes = Buffer.allocUnsafe(KEPT_BYTES)
  #length = 0
  #begun = 0

  parse(name: string, text: string): void {
    this.#begin(CODES.parse)
    this.#text(name)
    this.#text(text)
    // The types of no parameters: they are cast, or PostgreSQL takes them from where they stand.
    this.#int16(0)
    this.#end()
  }

  /** Gives a statement its values. The portal has no name. */
  bind(name: string, values: readonly Encoded[]): void {
    this.#begin(CODES.bind)
    this.#int8(0)
    this.#text(name)
    this.#int16(values.length)
    for (const value of values) this.#int16(value instanceof Buffer ? AS_BYTES : AS_TEXT)
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    // The formats of no columns: all come as text.
    this.#int16(0)
    this.#end()
  }

  describePortal(): void {
    this.#begin(CODES.describe)
    this.#int8(PORTAL)
    this.#int8(0)
    this.#end()
  }

  execute(): void {
    this.#begin(CODES.execute)
    this.#int8(0)
    // All rows.
    this.#int32(0)
    this.#end()
  }

  closeStatement(name: string): void {
    this.#begin(CODES.close)
    this.#int8(STATEMENT)
    this.#text(name)
    this.#end()
  }

  sync(): void {
    this.#begin(CODES.sync)
    this.#end()
  }

  /** A copy of what was put together. What is put together next begins anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.clear()
    return taken
  }

  clear(): void {
    this.#length = 0
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(KEPT_BYTES)
  }

  #begin(code: number): void {
    this.#int8(code)
    this.#begun = this.#length
    this.#int32(0)
  }

  /** The length of a message counts itself, and not the code before it. */
  #end(): void {
    this.#bytes.writeInt32BE(this.#length - this.#begun, this.#begun)
  }

  #text(text: string): void {
    this.#room(MOST_BYTES_OF_UNIT * text.length + 1)
    this.#length += this.#bytes.write(text, this.#length)
    this.#bytes[this.#length++] = 0
  }

  #value(value: Encoded): void {
    if (value === null) return this.#int32(NULL_LENGTH)
    if (typeof value === 'string') {
      this.#room(4 + MOST_BYTES_OF_UNIT * value.length)
      const written = this.#bytes.write(value, this.#length + 4)
      this.#int32(written)
      this.#length += written
    } else {
      this.#room(4 + value.length)
      this.#int32(value.length)
      this.#length += value.copy(this.#bytes, this.#length)
    }
  }

  #int8(value: number): void {
    this.#room(1)
    this.#bytes[this.#length++] = value
  }

  #int16(value: number): void {
    this.#room(2)
    this.#length = this.#bytes.writeUInt16BE(value, this.#length)
  }

  #int32(value: number): void {
    this.#room(4)
    this.#length = this.#bytes.writeInt32BE(value, this.#length)
  }

  #room(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

/** No UTF-16 unit takes more in UTF-8. */
const MOST_BYTES_OF_UNIT = 3
