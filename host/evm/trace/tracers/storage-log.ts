const BYTE_TO_HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** Returns a little-endian word of the engine's memory as 32 bytes of quoted DATA. */
function wordData(bytes: Uint8Array, at: number): string {
  let text = '"0x'
  for (let i = at + 31; i >= at; i--) text += BYTE_TO_HEX[bytes[i] as number]
  return `${text}"`
}

const encoder = new TextEncoder()

/** Accessed slots of a contract, ordered by key as Go prints a map. */
class Slots {
  readonly #keys: string[] = []
  readonly #members: string[] = []
  /** JSON of all slots; undefined after a change. Cached because most steps show the same text as the one before. */
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

  /** Returns the index of the key, or its insertion index. */
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

/** Slots that SLOAD and SSTORE have accessed so far, by contract. */
export class StorageLog {
  readonly #contracts = new Map<string, Slots>()

  /**
   * Adds a slot of a contract; its key and value are the words at `slotAt`. Returns the contract's slots so far as
   * JSON, which must not be modified.
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
