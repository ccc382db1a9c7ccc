import { bytesKey } from '../base/bytes.ts'
import { LockstepError } from '../base/error.ts'
import { formatData } from '../base/hex.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'
import { decodeAccount, encodeAccount } from '../state/account.ts'
import type { StateView } from '../state/view.ts'

/** A slot and the value it is to have, 32 bytes each. */
export interface SlotOverride {
  readonly slot: Uint8Array
  readonly value: Uint8Array
}

/** What a simulation pretends of one account. */
export interface AccountOverride {
  readonly address: Uint8Array
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** The whole storage: every other slot reads as zero. */
  readonly state: readonly SlotOverride[] | undefined
  /** Some slots; the others keep their values. */
  readonly stateDiff: readonly SlotOverride[] | undefined
}

interface StorageOverride {
  readonly slots: ReadonlyMap<string, Uint8Array>
  readonly whole: boolean
}

/**
 * The state of `base` as it would be with the overrides.
 * @throws INVALID_ARGUMENT where an account is given twice, or has both `state` and `stateDiff`.
 */
export function overlayView(
  base: StateView,
  overrides: readonly AccountOverride[],
  keccak256: Keccak256,
): StateView {
  const records = new Map<string, Uint8Array>()
  const storages = new Map<string, StorageOverride>()
  const codes = new Map<string, Uint8Array>()
  for (const override of overrides) {
    const key = bytesKey(override.address)
    if (records.has(key)) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `account ${formatData(override.address)} is overridden twice`,
      )
    }
    if (override.state !== undefined && override.stateDiff !== undefined) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `account ${formatData(override.address)} has both 'state' and 'stateDiff'`,
      )
    }
    const account = decodeAccount(base.account(override.address))
    let { codeHash } = account
    if (override.code !== undefined) {
      codeHash = keccak256(override.code)
      codes.set(bytesKey(codeHash), override.code)
    }
    const { balance = account.balance, nonce = account.nonce } = override
    records.set(key, encodeAccount({ balance, nonce, codeHash }))
    const slots = override.state ?? override.stateDiff
    if (slots !== undefined) {
      storages.set(key, {
        slots: new Map(slots.map(({ slot, value }) => [bytesKey(slot), value])),
        whole: override.state !== undefined,
      })
    }
  }
  return {
    account: (address) => records.get(bytesKey(address)) ?? base.account(address),
    storage(address, slot) {
      const override = storages.get(bytesKey(address))
      const value = override?.slots.get(bytesKey(slot))
      if (value !== undefined) return value
      return override?.whole === true ? undefined : base.storage(address, slot)
    },
    code: (codeHash) => codes.get(bytesKey(codeHash)) ?? base.code(codeHash),
    blockHash: (number) => base.blockHash(number),
  }
}
