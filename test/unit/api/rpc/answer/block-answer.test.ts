import { expect, test } from 'vitest'
import { hashedBlock } from '../../../../../host/api/rpc/answer/block-answer.ts'
import { blockRecord } from '../../../../../host/api/rpc/format/block-record.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { BlockHeader, EthereumBody } from '../../../../../host/evm/chain-types/block.ts'
import { FakeNode, keccak256, repeat, transaction } from '../../../../support/chain/fake-chain.ts'

/** Returns a node and the header of its block, which has `transactions` transactions and the given body. */
function nodeOf(transactions: number, body: EthereumBody | undefined): [FakeNode, BlockHeader] {
  const node = new FakeNode()
  const header = node.addBlock(
    Array.from({ length: transactions }, (_, i) => ({
      transaction: transaction({ nonce: BigInt(i) }),
    })),
  )
  node.chain.body = () => body
  return [node, header]
}

const OMMER = lockstepHeader()

function lockstepHeader() {
  const [node, header] = nodeOf(0, undefined)
  node.close()
  return node.context.rules.ethereumHeader(header)
}

const WITHDRAWAL = { index: 1n, validatorIndex: 2n, address: repeat(5, 20), amount: 2n ** 60n }

test.each([
  ['this chain', undefined],
  ['a chain before Shanghai', { ommers: [OMMER], withdrawals: undefined }],
  ['a chain after it', { ommers: [], withdrawals: [WITHDRAWAL, WITHDRAWAL] }],
] as const)('the transaction hashes of a %s block are written as in its record', (_, body) => {
  for (const count of [0, 1, 2, 300]) {
    const [node, header] = nodeOf(count, body)
    const { context } = node
    const { receipts } = node.chain.blocks[header.number] ?? {}
    const hashes = receipts?.map(({ transactionHash }) => formatData(transactionHash)) ?? []
    expect(hashes).toHaveLength(count)
    const record = blockRecord(header, hashes, body, context.rules, keccak256)
    expect(hashedBlock(context, header)).toBe(JSON.stringify(record))
    node.close()
  }
})

test('the answer for a deleted block has no hashes', () => {
  const [node, header] = nodeOf(1, undefined)
  node.chain.earliest = 2
  expect(hashedBlock(node.context, header)).toBeUndefined()
  node.close()
})
