import { bytesKey } from '../../../host/base/bytes.ts'
import type { StateView } from '../../../host/evm/state/view.ts'

/** Returns a record of one of many lengths, none of which the original state has by chance. */
function record(kind: number, key: Uint8Array): Uint8Array {
  const last = key.at(-1) as number
  const length = kind === 0 ? 72 : 1 + last * 5
  return Uint8Array.from({ length }, (_, i) => kind ^ (key[i % key.length] as number) ^ i)
}

/** A state whose answers are derived from their keys, so that a reader detects the answer to another key. */
export class KeyedState implements StateView {
  account(address: Uint8Array): Uint8Array | undefined {
    return (address.at(-1) as number) % 8 === 7 ? undefined : record(0, address)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    if ((slot.at(-1) as number) % 8 === 7) return undefined
    return slot.map((byte, i) => byte ^ (address[i % 20] as number) ^ 0x55)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return record(1, codeHash)
  }

  blockHash(number: number): Uint8Array | undefined {
    return new Uint8Array(32).fill(number & 0xff)
  }
}

/** Returns true if two answers are equal. */
export function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return bytesKey(one) === bytesKey(other)
}
