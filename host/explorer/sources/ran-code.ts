import type { Hex } from '../../base/hex.ts'
import type { CallNode, CodeGas, Stepper } from '../../browser/stepper.ts'

/** Code that ran in a transaction. */
export interface RanCode {
  readonly codeHash: Hex
  /** Accounts whose code it is, lower case; of creation code, the accounts that it creates. */
  readonly codeAddresses: readonly Hex[]
  /** Accounts whose storage it had. */
  readonly storageAddresses: readonly Hex[]
  readonly isCreation: boolean
  readonly bytes: Uint8Array
}

/** All code that ran, by its hash. */
export async function ranCode(stepper: Stepper, calls: readonly CallNode[]): Promise<RanCode[]> {
  const places = placesOfCode(await stepper.gasByCode(), calls)
  return Promise.all(
    Array.from(places, async ([codeHash, { frames }]) => {
      const isCreation = frames.some(({ type }) => type === 'CREATE' || type === 'CREATE2')
      return {
        codeHash,
        codeAddresses: distinct(frames.map(({ codeAddress }) => codeAddress)),
        storageAddresses: distinct(frames.map(storageOf)),
        isCreation,
        bytes: await stepper.code(codeHash),
      }
    }),
  )
}

function placesOfCode(
  gas: readonly CodeGas[],
  calls: readonly CallNode[],
): ReadonlyMap<Hex, { readonly seen: Set<number>; readonly frames: CallNode[] }> {
  const places = new Map<Hex, { readonly seen: Set<number>; readonly frames: CallNode[] }>()
  for (const { codeHash, call } of gas) {
    const frame = calls[call]
    if (frame === undefined) continue
    let place = places.get(codeHash)
    if (place === undefined) {
      place = { seen: new Set(), frames: [] }
      places.set(codeHash, place)
    }
    if (place.seen.has(call)) continue
    place.seen.add(call)
    place.frames.push(frame)
  }
  return places
}

/** Code that is borrowed works on the storage of who borrows it. */
function storageOf({ type, from, to }: CallNode): Hex {
  return type === 'DELEGATECALL' || type === 'CALLCODE' ? from : to
}

function distinct(addresses: readonly Hex[]): Hex[] {
  return [...new Set(addresses.map((address) => address.toLowerCase() as Hex))]
}
