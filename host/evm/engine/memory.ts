import { bytesToBigint } from '../../base/bytes.ts'

const LIMB = 0xffffffffffffffffn

/**
 * Typed views of an engine's memory, which grows if an EVM memory does not fit. Numbers are little-endian, aligned to
 * their size, and a word is four 64-bit limbs. The views require a little-endian machine.
 */
export class EngineMemory {
  #memory: Pick<WebAssembly.Memory, 'buffer'>
  #buffer: ArrayBuffer
  #bytes: Uint8Array
  #numbers: Uint32Array
  #limbs: BigUint64Array

  constructor(memory: Pick<WebAssembly.Memory, 'buffer'>) {
    this.#memory = memory
    this.#buffer = memory.buffer
    this.#bytes = new Uint8Array(this.#buffer)
    this.#numbers = new Uint32Array(this.#buffer)
    this.#limbs = new BigUint64Array(this.#buffer)
  }

  /** The current view; a new array after the memory has grown. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Refreshes the views after the module has run: growth detaches the old ones. */
  follow(memory = this.#memory): void {
    const { buffer } = memory
    if (buffer === this.#buffer) return
    this.#memory = memory
    this.#buffer = buffer
    this.#bytes = new Uint8Array(buffer)
    this.#numbers = new Uint32Array(buffer)
    this.#limbs = new BigUint64Array(buffer)
  }

  u32(at: number): number {
    return this.#numbers[at >> 2] as number
  }

  u64(at: number): bigint {
    return this.#limbs[at >> 3] as bigint
  }

  word(at: number): bigint {
    const i = at >> 3
    const limbs = this.#limbs
    const low = limbs[i] as bigint
    const high = (limbs[i + 1] as bigint) | (limbs[i + 2] as bigint) | (limbs[i + 3] as bigint)
    if (high === 0n) return low
    return (
      low |
      ((limbs[i + 1] as bigint) << 64n) |
      ((limbs[i + 2] as bigint) << 128n) |
      ((limbs[i + 3] as bigint) << 192n)
    )
  }

  /** Returns a copy of `length` bytes. */
  copy(at: number, length: number): Uint8Array {
    return this.#bytes.slice(at, at + length)
  }

  /** Zeros `length` bytes at `at`. */
  clear(at: number, length: number): void {
    this.#bytes.fill(0, at, at + length)
  }

  setU32(at: number, value: number): void {
    this.#numbers[at >> 2] = value
  }

  setU64(at: number, value: bigint): void {
    this.#limbs[at >> 3] = value
  }

  setWord(at: number, value: bigint): void {
    const i = at >> 3
    const limbs = this.#limbs
    limbs[i] = value
    if (value <= LIMB) {
      limbs[i + 1] = 0n
      limbs[i + 2] = 0n
      limbs[i + 3] = 0n
      return
    }
    limbs[i + 1] = value >> 64n
    limbs[i + 2] = value >> 128n
    limbs[i + 3] = value >> 192n
  }

  /** Writes a word given as 32 big-endian bytes. */
  setWordBytes(at: number, bytes: Uint8Array): void {
    this.setWord(at, bytesToBigint(bytes))
  }
}
