import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatData, type Hex, parseData } from '../../../../host/base/hex.ts'
import { nobleRecovery } from '../../../../host/evm/chain-types/noble-recovery.ts'
import { decodeTransaction } from '../../../../host/evm/chain-types/transaction-codec.ts'
import { floorDataGas, intrinsicGas } from '../../../../host/evm/execute/intrinsic-gas.ts'

interface Vector {
  readonly txbytes: Hex
  readonly result: Readonly<
    Record<string, { exception?: string; hash?: Hex; sender?: Hex; intrinsicGas?: Hex } | undefined>
  >
}

const vectors = process.env.LOCKSTEP_VECTORS

describe.skipIf(vectors === undefined)('TransactionTests of ethereum/tests pass in Prague', () => {
  const root = join(vectors ?? '.', 'trie-rlp-tx/TransactionTests')
  const folders = vectors === undefined ? [] : readdirSync(root)
  test.each(folders)('%s', (folder) => {
    let checked = 0
    for (const file of readdirSync(join(root, folder))) {
      const cases = JSON.parse(readFileSync(join(root, folder, file), 'utf8')) as Record<
        string,
        Vector
      >
      for (const [name, { txbytes, result }] of Object.entries(cases)) {
        // Vectors of malformed encodings were last filled for older revisions.
        const expected = result.Prague ?? result.Cancun ?? result.London ?? result.Istanbul
        if (expected === undefined) continue
        checked++
        const check = () => {
          const transaction = decodeTransaction(parseData(txbytes), nobleRecovery)
          if ((transaction.chainId ?? 1n) !== 1n) throw new Error('invalid chain id')
          const gas = intrinsicGas(transaction, 'Cancun')
          if (transaction.gas < gas) throw new Error('intrinsic gas too low')
          if (
            result.Prague !== undefined &&
            transaction.gas < floorDataGas(transaction, 'Prague')
          ) {
            throw new Error('insufficient gas for floor data gas cost')
          }
          if (transaction.nonce === 2n ** 64n - 1n) throw new Error('nonce has max value')
          if (transaction.maxPriorityFeePerGas > transaction.maxFeePerGas) {
            throw new Error('tip above fee cap')
          }
          if (transaction.gas * transaction.maxFeePerGas >= 2n ** 256n) {
            throw new Error('gas cost overflows')
          }
          if (transaction.to === undefined && transaction.data.length > 49_152) {
            throw new Error('init code too large')
          }
          return { transaction, gas }
        }
        if (expected.exception !== undefined) {
          expect(check, name).toThrow()
          continue
        }
        const { transaction, gas } = check()
        expect(formatData(transaction.hash), name).toBe(expected.hash)
        expect(formatData(transaction.from), name).toBe(expected.sender)
        expect(gas, name).toBe(BigInt(expected.intrinsicGas as Hex))
      }
    }
    expect(checked).toBeGreaterThan(0)
  })
})
