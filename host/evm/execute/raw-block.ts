import type { Block } from '../chain-types/block.ts'
import { encodeEthereumBlock } from '../chain-types/ethereum-block.ts'
import type { ChainRules } from './chain-rules.ts'

/** Returns a block in RLP, as geth exports it. */
export function encodeRawBlock(
  rules: Pick<ChainRules, 'ethereumHeader'>,
  { header, transactions, ethereum }: Block,
): Uint8Array {
  const raw = rules.ethereumHeader(header)
  const withdrawals = raw.withdrawalsRoot === undefined ? undefined : []
  return encodeEthereumBlock(raw, transactions, ethereum ?? { ommers: [], withdrawals })
}
