import type { Keccak256 } from '../../chain-types/signature-recovery.ts'

/** Argument types of console.log, in the order of Hardhat's console.sol. */
const LOGGED = ['uint256', 'string', 'bool', 'address'] as const

/** Maximum number of console.log arguments. */
const MOST = 4

/** Types with a single-argument function of their own: logInt, logBytes, logBytes1 and so on. */
const SINGLE: readonly string[] = [
  'int256',
  'bytes',
  ...Array.from({ length: 32 }, (_, i) => `bytes${i + 1}`),
]

/** Additional pairs in Foundry's version. */
const PAIRS: readonly (readonly string[])[] = [['string', 'int256']]

/** A function of console.sol. */
export interface ConsoleFunction {
  /** `log(string,uint256)` */
  readonly signature: string
  readonly types: readonly string[]
}

function* logged(count: number): Generator<readonly string[]> {
  if (count === 0) {
    yield []
    return
  }
  for (const first of LOGGED) for (const rest of logged(count - 1)) yield [first, ...rest]
}

function* everyTypes(): Generator<readonly string[]> {
  for (let count = 0; count <= MOST; count++) yield* logged(count)
  for (const type of SINGLE) yield [type]
  yield* PAIRS
}

const encoder = new TextEncoder()

/** Functions of Hardhat's and Foundry's console.sol by selector. Built on first use. */
export class ConsoleTable {
  readonly #keccak256: Keccak256
  #bySelector: ReadonlyMap<number, ConsoleFunction> | undefined

  constructor(keccak256: Keccak256) {
    this.#keccak256 = keccak256
  }

  find(selector: number): ConsoleFunction | undefined {
    this.#bySelector ??= this.#make()
    return this.#bySelector.get(selector)
  }

  get size(): number {
    this.#bySelector ??= this.#make()
    return this.#bySelector.size
  }

  #make(): Map<number, ConsoleFunction> {
    const bySelector = new Map<number, ConsoleFunction>()
    for (const types of everyTypes()) {
      const signature = `log(${types.join(',')})`
      bySelector.set(this.#selector(signature), { signature, types })
      // Versions of console.sol before 2022 hashed type names that the ABI lacks.
      const old = signature.replaceAll('int256', 'int')
      if (old !== signature) bySelector.set(this.#selector(old), { signature, types })
    }
    return bySelector
  }

  #selector(signature: string): number {
    const hash = this.#keccak256(encoder.encode(signature))
    return new DataView(hash.buffer, hash.byteOffset).getUint32(0)
  }
}
