import { hexDigits } from '../../../host/base/hex.ts'
import type { GenesisDenomination } from '../../../host/evm/chain-types/genesis.ts'

/** Reference implementation of bank and addr: balances in maps. */
export class LedgerModel {
  readonly #held = new Map<string, Map<string, bigint>>()
  /** EVM accounts by their other address. */
  readonly #associated = new Map<string, Uint8Array>()
  moves = 0

  constructor(
    wei: readonly (readonly [string, readonly (readonly [Uint8Array, bigint])[]])[],
    denominations: readonly GenesisDenomination[],
  ) {
    for (const [name, rows] of wei) {
      this.#held.set(name, new Map(rows.map(([who, amount]) => [hexDigits(who), amount])))
    }
    for (const { denomination, balances } of denominations) {
      const rows = balances.map(({ address, amount }) => [hexDigits(address), amount] as const)
      this.#held.set(denomination, new Map(rows))
    }
  }

  get associations(): number {
    return this.#associated.size
  }

  amount(denomination: string, who: Uint8Array): bigint {
    return this.#held.get(denomination)?.get(hexDigits(who)) ?? 0n
  }

  /** Returns the account that holds the balances of an address. */
  accountOf(other: Uint8Array): Uint8Array {
    return this.#associated.get(hexDigits(other)) ?? other
  }

  /** Moves nothing if the balance is too small. */
  move(denomination: string, from: Uint8Array, to: Uint8Array, amount: bigint): void {
    const rows = this.#held.get(denomination)
    const has = this.amount(denomination, from)
    if (rows === undefined || has < amount) return
    rows.set(hexDigits(from), has - amount)
    rows.set(hexDigits(to), this.amount(denomination, to) + amount)
    this.moves++
  }

  associate(evm: Uint8Array, other: Uint8Array): void {
    if (this.#associated.has(hexDigits(other))) return
    this.#associated.set(hexDigits(other), evm)
    for (const denomination of this.#held.keys()) {
      this.move(denomination, other, evm, this.amount(denomination, other))
    }
  }

  /** Returns the answer of all_balances. */
  shown(who: Uint8Array, denominations: readonly string[]): [bigint, string][] {
    const native: [bigint, string] = [this.amount('wei', who) / 10n ** 12n, 'usei']
    const others = denominations.map((name): [bigint, string] => [this.amount(name, who), name])
    return [native, ...others].filter(([amount]) => amount > 0n)
  }
}
