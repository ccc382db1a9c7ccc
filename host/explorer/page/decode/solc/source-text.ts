/** A position in a file for display: line and column from 1, columns in UTF-16 units. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

const NEWLINE = 0x0a
const RETURN = 0x0d

/** A file's text by lines. Compilers count bytes, editors characters. */
export class SourceText {
  readonly content: string
  readonly #bytes: Uint8Array
  /** Byte offsets of line starts. */
  readonly #starts: readonly number[]

  constructor(content: string) {
    this.content = content
    this.#bytes = new TextEncoder().encode(content)
    const starts = [0]
    this.#bytes.forEach((byte, at) => {
      // A lone return ends a line too; one before a newline belongs to it.
      if (byte === NEWLINE || (byte === RETURN && this.#bytes[at + 1] !== NEWLINE)) {
        starts.push(at + 1)
      }
    })
    this.#starts = starts
  }

  get byteLength(): number {
    return this.#bytes.length
  }

  get lines(): number {
    return this.#starts.length
  }

  /** Returns the line of a byte, from 1; the last line if the byte is past the end. */
  lineOf(byte: number): number {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] as number) <= byte) low = middle
      else high = middle - 1
    }
    return low + 1
  }

  /** Returns the position of a byte; the end if the byte is past it. */
  placeOf(byte: number): TextPlace {
    const at = Math.max(0, Math.min(byte, this.#bytes.length))
    const line = this.lineOf(at)
    const before = this.#bytes.subarray(this.#starts[line - 1], at)
    return { line, column: new TextDecoder().decode(before).length + 1 }
  }

  /** Returns a line, from 1, without its line break. */
  lineText(line: number): string {
    const start = this.#starts[line - 1]
    if (start === undefined) return ''
    const bytes = this.#bytes.subarray(start, this.#starts[line] ?? this.#bytes.length)
    return new TextDecoder().decode(bytes).replace(/[\r\n]+$/, '')
  }

  /** Returns the text of a byte range. */
  slice(start: number, length: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(start, start + length))
  }
}
