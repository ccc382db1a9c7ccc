import { bytesKey, concatBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { checksumAddress } from '../../chain-types/address.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { CodeRow, StateDiff } from '../../engine/state-diff.ts'
import { decodeAccount, encodeAccount } from '../../state/account.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import type { StateView } from '../../state/view.ts'

/** A slot and its new value, 32 bytes each. */
export interface SlotOverride {
  readonly slot: Uint8Array
  readonly value: Uint8Array
}

/** Fields of one account that a simulation overrides. */
export interface AccountOverride {
  readonly address: Uint8Array
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** Replaces the whole storage: all other slots read as zero. */
  readonly state: readonly SlotOverride[] | undefined
  /** Replaces single slots; the others keep their values. */
  readonly stateDiff: readonly SlotOverride[] | undefined
  /** Address to which this account's precompile moves. */
  readonly movePrecompileTo: Uint8Array | undefined
}

function setsAnything({ balance, nonce, code, state, stateDiff }: AccountOverride): boolean {
  if (balance !== undefined || nonce !== undefined || code !== undefined) return true
  return state !== undefined || (stateDiff !== undefined && stateDiff.length > 0)
}

/**
 * Returns the state changes of overrides.
 * @throws INVALID_ARGUMENT if an account is given twice, OVERRIDE_INVALID if one has both `state` and `stateDiff`.
 */
export function overrideDiff(
  base: StateView,
  overrides: readonly AccountOverride[],
  keccak256: Keccak256,
): StateDiff {
  const seen = new Set<string>()
  const accounts: Uint8Array[] = []
  const cleared: Uint8Array[] = []
  const storage: Uint8Array[] = []
  const codes: CodeRow[] = []
  for (const override of overrides) {
    const { address, code, state, stateDiff } = override
    const key = bytesKey(address)
    if (seen.has(key)) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `account ${formatData(address)} is overridden twice`,
      )
    }
    seen.add(key)
    if (state !== undefined && stateDiff !== undefined) {
      const account = checksumAddress(address, keccak256)
      throw new LockstepError(
        'OVERRIDE_INVALID',
        `account ${account} has both 'state' and 'stateDiff'`,
      )
    }
    // geth creates the account even if the override sets empty values, unlike EIP-161.
    if (!setsAnything(override)) continue
    const account = decodeAccount(base.account(address))
    const codeHash = code === undefined ? account.codeHash : keccak256(code)
    if (code !== undefined) codes.push({ codeHash, code })
    const { balance = account.balance, nonce = account.nonce } = override
    accounts.push(address, encodeAccount({ balance, nonce, codeHash }))
    if (state !== undefined) cleared.push(address)
    for (const { slot, value } of state ?? stateDiff ?? []) storage.push(address, slot, value)
  }
  return {
    accounts: concatBytes(accounts),
    cleared: concatBytes(cleared),
    storage: concatBytes(storage),
    codes,
  }
}

/** Returns `base` with the overrides applied. Throws like `overrideDiff`. */
export function overlayView(
  base: StateView,
  overrides: readonly AccountOverride[],
  keccak256: Keccak256,
): StateView {
  const overlay = new OverlayState(base)
  overlay.apply(overrideDiff(base, overrides, keccak256))
  return overlay
}
