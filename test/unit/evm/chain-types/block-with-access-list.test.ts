import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { concatBytes } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../../../host/base/rlp.ts'
import {
  decodeEthereumBlock,
  encodeEthereumBlock,
} from '../../../../host/evm/chain-types/ethereum-block.ts'
import { EMPTY_ACCESS_LIST_HASH } from '../../../../host/evm/chain-types/ethereum-header.ts'
import { decodeEthereumGenesis } from '../../../../host/evm/execute/ethereum/genesis.ts'

const config = {
  chainId: 1,
  londonBlock: 0,
  terminalTotalDifficulty: 0,
  ...{ shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0, amsterdamTime: 0 },
}
const genesis = decodeEthereumGenesis(JSON.stringify({ config, alloc: {}, difficulty: '0x0' }))
const header = { ...genesis.header, stateRoot: new Uint8Array(32) }
const plain = encodeEthereumBlock(header, [], { ommers: [], withdrawals: [] })
const parts = decodeRlp(plain) as RlpItem[]

test("a block of geth's export file has its access list as a fifth part", () => {
  const listed = encodeRlp([...parts, []])
  const block = decodeEthereumBlock(listed)
  expect(formatData(block.encodedAccessList ?? new Uint8Array())).toBe('0xc0')
  expect(keccak_256(block.encodedAccessList ?? new Uint8Array())).toEqual(EMPTY_ACCESS_LIST_HASH)
  // EIP-7934 limits the block alone.
  expect(block.size).toBe(plain.length)
  expect(decodeEthereumBlock(plain)).toEqual({ ...block, encodedAccessList: undefined })
})

test.each([
  [[...parts, Uint8Array.of(1)], 'the accounts of the access list are not an RLP list'],
  [[...parts, [], []], 'the block has 6 parts, want 3 to 5'],
  [parts.slice(0, 2), 'the block has 2 parts, want 3 to 5'],
])('other parts of a block are refused (%#)', (items, message) => {
  expect(() => decodeEthereumBlock(concatBytes([encodeRlp(items)]))).toThrow(
    expect.objectContaining({ code: 'BLOCK_INVALID', message }),
  )
})
