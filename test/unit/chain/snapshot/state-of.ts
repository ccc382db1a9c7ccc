import { hexDigits } from '../../../../host/base/hex.ts'
import { address, slot } from '../../storage/store/chain/block-records.ts'
import { ACCOUNTS, LEGACY_KEYS, legacyKey, MODULES, SLOTS } from './random-chain.ts'
import type { SnapshotHome } from './snapshot-home.ts'

/** Returns everything that the state of a height can answer. */
export function stateOf({ storage: { state } }: SnapshotHome, height: number): unknown {
  const view = state.view(height)
  const accounts = Array.from({ length: ACCOUNTS }, (_, n) => {
    const record = view.account(address(n))
    const codeHash = record?.slice(40)
    return {
      record,
      code: codeHash && hexDigits(view.code(codeHash)),
      slots: Array.from({ length: SLOTS }, (_, s) => view.storage(address(n), slot(s))),
    }
  })
  const legacy = Array.from({ length: LEGACY_KEYS }, (_, n) => state.legacy(legacyKey(n), height))
  const modules = MODULES.map((name) =>
    Array.from(state.module(name).range({ height }), ({ key, value }) => [
      hexDigits(key),
      hexDigits(value),
    ]),
  )
  return { accounts, legacy, modules }
}
