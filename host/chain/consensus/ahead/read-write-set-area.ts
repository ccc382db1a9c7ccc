import { LockstepError } from '../../../base/error.ts'

/** Header of each read/write set: block number, transaction index and length as u32, then 4 bytes of padding. */
const HEAD = 16

/** Room for the read/write sets of about a hundred heavy transactions, or many thousand light ones. */
const AREA_BYTES = 16 * 1024 * 1024

export function newReadWriteSetArea(): SharedArrayBuffer {
  return new SharedArrayBuffer(AREA_BYTES)
}

/** Shared memory in which one thread leaves the read/write sets of a block for the main thread. */
export class ReadWriteSetArea {
  readonly #bytes: Uint8Array
  readonly #fields: DataView
  #end = 0

  constructor(area: SharedArrayBuffer) {
    this.#bytes = new Uint8Array(area)
    this.#fields = new DataView(area)
  }

  /** Drops the read/write sets of the previous block. */
  clear(): void {
    this.#end = 0
  }

  /** Stores a read/write set and returns its offset; undefined if it does not fit. */
  put(block: number, index: number, footprint: Uint8Array): number | undefined {
    const place = this.#end
    const at = place + HEAD
    const end = at + ((footprint.length + 7) & ~7)
    if (end > this.#bytes.length) return undefined
    this.#fields.setUint32(place, block)
    this.#fields.setUint32(place + 4, index)
    this.#fields.setUint32(place + 8, footprint.length)
    this.#bytes.set(footprint, at)
    this.#end = end
    return place
  }

  /**
   * Returns the read/write set at an offset. It is valid until its thread begins another block.
   * @throws ENGINE_FAULT if it belongs to another block or transaction
   */
  at(place: number, block: number, index: number): Uint8Array {
    const isThere = place >= 0 && place + HEAD <= this.#bytes.length
    if (isThere && this.#fields.getUint32(place) === block >>> 0) {
      const at = place + HEAD
      const length = this.#fields.getUint32(place + 8)
      if (this.#fields.getUint32(place + 4) === index && at + length <= this.#bytes.length) {
        return this.#bytes.subarray(at, at + length)
      }
    }
    throw new LockstepError(
      'ENGINE_FAULT',
      `no read/write set of transaction ${index} at offset ${place}`,
    )
  }
}
