import { bytesKey } from '../../../host/base/bytes.ts'
import type { StateView } from '../../../host/evm/state/view.ts'

/** Of many lengths, none of which the state that it stands for has by chance. */
function record(kind: number, key: Uint8Array): Uint8Array {
  const last = key.at(-1) as number
  const length = kind === 0 ? 72 : 1 + last * 5
  return Uint8Array.from({ length }, (_, i) => kind ^ (key[i % key.length] as number) ^ i)
}

/** A state whose every answer follows from its key, so that whoever asks can tell another key's answer. */
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

/** Whether two answers are the same. */
export function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return bytesKey(one) === bytesKey(other)
}
