/** Reads the binary format of a module from `at` on (core specification 5). */
export class WasmReader {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  byte(): number {
    const value = this.bytes[this.at++]
    if (value === undefined) throw new Error('truncated module')
    return value
  }

  /** Reads LEB128, signed or not: only its low 32 bits matter here. */
  leb(): number {
    let value = 0
    let shift = 0
    for (;;) {
      const byte = this.byte()
      if (shift < 32) value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
      shift += 7
    }
  }

  name(): string {
    const length = this.leb()
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + length))
    this.at += length
    return text
  }
}
