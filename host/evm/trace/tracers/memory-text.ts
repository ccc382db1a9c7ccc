/** Bytes of a word as a JSON array item with a trailing comma: `"0x...",`. */
const ITEM = 69
const DIGITS_AT = 3
const WORD = 32

const HEX = new TextEncoder().encode(
  Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''),
)
const ZERO = new TextEncoder().encode(`"0x${'0'.repeat(64)}",`)

/** Memory of a frame, kept as its JSON text. */
class MemoryText {
  #text = new Uint8Array(0)
  /** Number of words in the text. */
  #words = 0

  clear(): void {
    this.#words = 0
  }

  write(offset: number, bytes: Uint8Array): void {
    this.#hold(Math.ceil((offset + bytes.length) / WORD))
    const text = this.#text
    for (let i = 0; i < bytes.length; i++) {
      const place = offset + i
      const at = ITEM * (place >> 5) + DIGITS_AT + 2 * (place & 31)
      const digits = 2 * (bytes[i] as number)
      text[at] = HEX[digits] as number
      text[at + 1] = HEX[digits + 1] as number
    }
  }

  read(words: number): Uint8Array {
    this.#hold(words)
    return this.#text.subarray(0, ITEM * words - 1)
  }

  #hold(words: number): void {
    if (words <= this.#words) return
    if (ITEM * words > this.#text.length) {
      const larger = new Uint8Array(ITEM * Math.max(words, 2 * this.#words, 32))
      larger.set(this.#text.subarray(0, ITEM * this.#words))
      this.#text = larger
    }
    for (let word = this.#words; word < words; word++) this.#text.set(ZERO, ITEM * word)
    this.#words = words
  }
}

/**
 * Memories of a transaction's open frames as JSON text, updated by the writes in a trace. Depths are those of steps,
 * starting at 1.
 */
export class MemoryTexts {
  readonly #frames: MemoryText[] = []

  /** Starts a frame at `depth` with empty memory. */
  enter(depth: number): void {
    const frame = this.#frames[depth]
    if (frame === undefined) this.#frames[depth] = new MemoryText()
    else frame.clear()
  }

  write(depth: number, offset: number, bytes: Uint8Array): void {
    this.#frames[depth]?.write(offset, bytes)
  }

  /** Returns the first `size` bytes, in whole words, as array items; valid until the next write. */
  read(depth: number, size: number): Uint8Array {
    return (this.#frames[depth] as MemoryText).read(size / WORD)
  }
}
