import { LockstepError } from '../../../base/error.ts'

/** Before each footprint: number of the block, of the transaction, and its bytes; u32 each, and 4 of padding. */
const HEAD = 16

/** Footprints of some hundred heavy transactions, or many thousand light ones. */
const AREA_BYTES = 16 * 1024 * 1024

export function newFootprintArea(): SharedArrayBuffer {
  return new SharedArrayBuffer(AREA_BYTES)
}

/** Where one thread leaves the footprints of a block's transactions for the thread of the chain. */
export class FootprintArea {
  readonly #bytes: Uint8Array
  readonly #fields: DataView
  #end = 0

  constructor(area: SharedArrayBuffer) {
    this.#bytes = new Uint8Array(area)
    this.#fields = new DataView(area)
  }

  /** Forgets the footprints of the block before. */
  clear(): void {
    this.#end = 0
  }

  /** The place of the footprint; undefined where there is no room for it. */
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
   * The footprint at a place, until its thread comes to another block.
   * @throws ENGINE_FAULT where it is of another block or transaction
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
    throw new LockstepError('ENGINE_FAULT', `no footprint of transaction ${index} lies at ${place}`)
  }
}
