import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { Block } from '../../chain-types/block.ts'
import { type BlockAccessList, encodeBlockAccessList } from '../../chain-types/block-access-list.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import { AccessListBuilder } from '../access-list-builder.ts'
import type { History } from '../history.ts'
import { type BlockReplayOptions, type ReplayControl, replayOnto } from './replay-onto.ts'

/**
 * Resolves with the access list of a finished block of Amsterdam or later (EIP-7928), which executing the block again
 * records.
 * @throws TRACE_DIFFERS if its hash is not the one in the header; also like `replayOnto`
 */
export async function replayAccessList(
  options: BlockReplayOptions & { readonly history: Pick<History, 'before'> },
  height: number,
  costs: ReplayControl,
): Promise<BlockAccessList> {
  const { history, rules, keccak256 } = options
  const state = new OverlayState(history.before(height))
  const accesses = new AccessListBuilder()
  await replayOnto(options, state, height, costs, {
    end: (engine) => {
      const { header, transactions, ethereum } = history.block(height) as Block
      const logs = (history.receipts(height) ?? []).flatMap((receipt) => receipt.logs)
      const listing = { accesses, index: transactions.length + 1 }
      accesses.add(engine.accessList())
      rules.close(engine, state, header, ethereum?.withdrawals ?? [], logs, listing)
    },
  })
  const list = accesses.build()
  const stated = history.header(height)?.ethereum?.header.blockAccessListHash
  if (stated !== undefined && !equalBytes(keccak256(encodeBlockAccessList(list)), stated)) {
    throw new LockstepError(
      'TRACE_DIFFERS',
      `block ${height} has another access list now than when it was imported`,
    )
  }
  return list
}
