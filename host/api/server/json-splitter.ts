import { concatBytes } from '../../base/bytes.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
/** Space, tab, line feed, carriage return. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Returns false for a text of bytes that begin neither an object nor a list. */
export function isJsonText(text: Uint8Array): boolean {
  return text[0] === OPEN_OBJECT || text[0] === OPEN_LIST
}

/**
 * Splits a stream of bytes into JSON objects and lists, with or without blanks between them. It counts brackets outside
 * strings and checks nothing else: JSON.parse does. Bytes before a bracket become a separate text, which is not
 * JSON.
 */
export class JsonSplitter {
  /** Parts of the text that has begun. */
  #parts: Uint8Array[] = []
  #size = 0
  #depth = 0
  #isInString = false
  #isEscaped = false

  /** Bytes of the text that has begun. */
  get pendingBytes(): number {
    return this.#size
  }

  /** Returns the texts that the next bytes complete. The bytes may be reused after the call. */
  push(bytes: Uint8Array): Uint8Array[] {
    const texts: Uint8Array[] = []
    let start = this.#size === 0 ? -1 : 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (start < 0) {
        if (BLANKS.has(byte)) continue
        start = at
      }
      if (this.#isEnd(byte)) {
        texts.push(this.#complete(bytes.slice(start, at + 1)))
        start = -1
      }
    }
    if (start >= 0) this.#keep(bytes.slice(start))
    return texts
  }

  /** Returns true if the byte is the last of a text. */
  #isEnd(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isInString = false
      return false
    }
    switch (byte) {
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#depth++
        return false
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        this.#depth = Math.max(0, this.#depth - 1)
        return this.#depth === 0
      case QUOTE:
        this.#isInString = this.#depth > 0
        return this.#depth === 0
      default:
        return this.#depth === 0
    }
  }

  #keep(part: Uint8Array): void {
    this.#parts.push(part)
    this.#size += part.length
  }

  #complete(last: Uint8Array): Uint8Array {
    if (this.#parts.length === 0) return last
    const text = concatBytes([...this.#parts, last])
    this.#parts = []
    this.#size = 0
    return text
  }
}
