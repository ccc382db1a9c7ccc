import { expect, test } from 'vitest'
import {
  encodeRow,
  ROW_KIND,
  SECTION,
  visitRows,
} from '../../../../host/api/transaction-index/hash-rows.ts'
import {
  type SourceBlock,
  transactionsOf,
} from '../../../../host/api/transaction-index/source-block.ts'
import { compareBytes } from '../../../../host/base/bytes.ts'
import { sha256 } from '../../../../host/chain/consensus/comet/sha256.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

const seed = runSeed()
const random = makeRandom(seed)
const upTo = (end: number): number => Math.floor(random() * end)
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => upTo(256))

/** Returns addresses of which many share a prefix, up to their last bytes. */
function alikeAddresses(): Uint8Array[] {
  const first = bytes(20)
  return Array.from({ length: 40 }, (_, i) => {
    const address = first.slice()
    address[upTo(20)] = i
    return address
  })
}

function randomBlock(height: number, addresses: readonly Uint8Array[]): SourceBlock {
  const lengths = Array.from({ length: upTo(120) }, () => 1 + upTo(300))
  let length = 0
  const ends = Uint32Array.from(lengths, (one) => (length += one))
  const parties = new Uint8Array(lengths.length * 40)
  for (let at = 0; at < parties.length; at += 20) {
    parties.set(addresses[upTo(addresses.length)] as Uint8Array, at)
  }
  return { height, hash: bytes(32), transactions: bytes(length), ends, parties, run: undefined }
}

/** Returns the row keys of blocks, built one by one and sorted as bytes. */
function describedRows(blocks: readonly SourceBlock[]): Uint8Array[] {
  const keys = blocks.flatMap((block) =>
    Array.from(transactionsOf(block), ({ raw, sender, recipient }, index) => {
      const place = { height: block.height, index }
      return [
        encodeRow(ROW_KIND.HASH, sha256(raw), place),
        encodeRow(ROW_KIND.SENDER, sender, place),
        encodeRow(ROW_KIND.RECIPIENT, recipient, place),
      ]
    }).flat(),
  )
  return keys.sort(compareBytes)
}

test(`the index rows of blocks are generated in key order (seed ${seed})`, () => {
  for (const heights of [[], [7], [1, 2, 3], [SECTION - 2, SECTION - 1, SECTION, 2 * SECTION]]) {
    for (const addresses of [
      alikeAddresses(),
      [bytes(20)],
      Array.from({ length: 500 }, () => bytes(20)),
    ]) {
      const blocks = heights.map((height) => randomBlock(height, addresses))
      const visited: string[] = []
      visitRows(blocks, (key) => visited.push(Buffer.from(key).toString('hex')))
      const described = describedRows(blocks).map((key) => Buffer.from(key).toString('hex'))
      expect(visited).toEqual(described)
    }
  }
})
