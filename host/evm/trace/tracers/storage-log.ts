const BYTE_TO_HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** A word in the engine's memory, whose first byte is the lowest, as 32 bytes of DATA in quotes. */
function wordData(bytes: Uint8Array, at: number): string {
  let text = '"0x'
  for (let i = at + 31; i >= at; i--) text += BYTE_TO_HEX[bytes[i] as number]
  return `${text}"`
}

const encoder = new TextEncoder()

/** A contract's slots that were read or written, ordered by key as Go writes a map. */
class Slots {
  readonly #keys: string[] = []
  readonly #members: string[] = []
  /** The text of all slots; undefined once one has changed. Most steps show the same text as the step before. */
  #json: Uint8Array | undefined

  set(key: string, value: string): void {
    const at = this.#find(key)
    if (this.#keys[at] !== key) {
      this.#keys.splice(at, 0, key)
      this.#members.splice(at, 0, '')
    }
    const member = `${key}:${value}`
    if (this.#members[at] === member) return
    this.#members[at] = member
    this.#json = undefined
  }

  toJson(): Uint8Array {
    this.#json ??= encoder.encode(`{${this.#members.join(',')}}`)
    return this.#json
  }

  /** Index of the key, or where it belongs. */
  #find(key: string): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#keys[middle] as string) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The slots that SLOAD and SSTORE have shown so far, contract by contract. */
export class StorageLog {
  readonly #contracts = new Map<string, Slots>()

  /**
   * Takes a slot of a contract, its key and value as words at `slotAt`; the contract's slots so far, as
   * JSON that must not be written to.
   */
  show(contract: string, bytes: Uint8Array, slotAt: number): Uint8Array {
    let slots = this.#contracts.get(contract)
    if (slots === undefined) {
      slots = new Slots()
      this.#contracts.set(contract, slots)
    }
    slots.set(wordData(bytes, slotAt), wordData(bytes, slotAt + 32))
    return slots.toJson()
  }
}
