import type { Hex } from '../../../base/hex.ts'
import type { CallNode, Stepper } from '../../browser/step/stepper.ts'

/** Executed code of a transaction. */
export interface RanCode {
  readonly codeHash: Hex
  /** Accounts with this code, lower case; for creation code, the created accounts. */
  readonly codeAddresses: readonly Hex[]
  /** Accounts whose storage it used. */
  readonly storageAddresses: readonly Hex[]
  readonly isCreation: boolean
  readonly bytes: Uint8Array
}

/** Maximum accounts to examine: a transaction that creates thousands mostly uses the same code. */
const MOST = 300

/** Frames that ran the code of one account. */
interface Place {
  /** A step of one of them. */
  readonly step: number
  readonly codeAddress: Hex
  readonly isCreation: boolean
  readonly storage: Set<Hex>
}

/** Returns all executed code by hash, read from one step per account. */
export async function ranCode(stepper: Stepper, calls: readonly CallNode[]): Promise<RanCode[]> {
  const byHash = new Map<Hex, Place[]>()
  for (const place of placesOfCode(calls)) {
    const { codeHash } = await stepper.step(place.step)
    byHash.set(codeHash, [...(byHash.get(codeHash) ?? []), place])
  }
  return Promise.all(
    Array.from(byHash, async ([codeHash, places]) => ({
      codeHash,
      codeAddresses: places.map(({ codeAddress }) => codeAddress),
      storageAddresses: [...new Set(places.flatMap(({ storage }) => [...storage]))],
      isCreation: places.some(({ isCreation }) => isCreation),
      bytes: await stepper.code(codeHash),
    })),
  )
}

function placesOfCode(calls: readonly CallNode[]): Place[] {
  const places = new Map<string, Place>()
  for (const call of calls) {
    if (call.endStep === call.firstStep) continue
    const isCreation = call.type === 'CREATE' || call.type === 'CREATE2'
    const codeAddress = call.codeAddress.toLowerCase() as Hex
    const key = `${codeAddress} ${isCreation}`
    let place = places.get(key)
    if (place === undefined) {
      if (places.size === MOST) continue
      place = { step: call.firstStep, codeAddress, isCreation, storage: new Set() }
      places.set(key, place)
    }
    place.storage.add(storageOf(call))
  }
  return [...places.values()]
}

/** Delegated code uses the storage of its caller. */
function storageOf({ type, from, to }: CallNode): Hex {
  return (type === 'DELEGATECALL' || type === 'CALLCODE' ? from : to).toLowerCase() as Hex
}
