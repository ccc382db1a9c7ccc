import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { EMPTY_CODE_HASH } from '../../../evm/state/account.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { VersionBounds } from './height-bounds.ts'
import { KeyedPoints } from './keyed-points.ts'
import type { PointTable } from './point-table.ts'
import { ADDRESS_BYTES, STORAGE_KEY_BYTES, type TableName } from './table-rows.ts'

/** EVM data at every retained height, for point reads. */
export class EvmTables {
  readonly legacy: KeyedPoints
  readonly #accounts: PointTable
  readonly #codes: PointTable
  readonly #storage: PointTable
  readonly #cleared: PointTable
  readonly #bounds: VersionBounds
  readonly #base: StateView | undefined
  readonly #slot = new Uint8Array(STORAGE_KEY_BYTES)

  /** @param base - Serves keys that were never written. */
  constructor(table: (name: TableName) => PointTable, bounds: VersionBounds, base?: StateView) {
    this.#accounts = table('account')
    this.#codes = table('code')
    this.#storage = table('storage')
    this.#cleared = table('cleared')
    this.#bounds = bounds
    this.#base = base
    this.legacy = new KeyedPoints(table('legacy'), 'evm', bounds)
  }

  account(address: Uint8Array, height: number): Uint8Array | undefined {
    this.#checkKept(height)
    const version = this.#accounts.find(address, height)
    if (version === undefined) return this.#base?.account(address)
    return version.value.length === 0 ? undefined : version.value
  }

  storage(address: Uint8Array, slot: Uint8Array, height: number): Uint8Array | undefined {
    this.#checkKept(height)
    this.#slot.set(address, 0)
    this.#slot.set(slot, ADDRESS_BYTES)
    const version = this.#storage.find(this.#slot, height)
    if (version === undefined && this.#base !== undefined) {
      const isCleared = this.#cleared.find(address, height) !== undefined
      return isCleared ? undefined : this.#base.storage(address, slot)
    }
    if (version === undefined || version.value.length === 0) return undefined
    // Emptying an account's storage writes one row: older slots stay on disk, but read as zero from then on.
    const cleared = this.#cleared.find(address, height)
    return cleared !== undefined && cleared.height > version.height ? undefined : version.value
  }

  /** @throws STORE_CORRUPTED if no block up to `height` wrote code with that hash. */
  code(codeHash: Uint8Array, height: number): Uint8Array {
    this.#checkKept(height)
    const version = this.#codes.find(codeHash, height)
    if (version !== undefined) return version.value
    if (EMPTY_CODE_HASH.every((byte, i) => byte === codeHash[i])) return EMPTY_BYTES
    if (this.#base !== undefined) return this.#base.code(codeHash)
    throw new LockstepError(
      'STORE_CORRUPTED',
      `code of hash ${formatData(codeHash)} is missing at height ${height}`,
    )
  }

  /** The prune height may have passed a view's height, whose rows are then removed. */
  #checkKept(height: number): void {
    if (height < this.#bounds.earliest) this.#bounds.check(height)
  }
}
