import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { parseData } from '../../../../../host/base/hex.ts'
import type { BlockEnv } from '../../../../../host/evm/engine/message.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import { parityTracer } from '../../../../../host/evm/trace/tracers/parity-tracer.ts'
import { TestState } from '../../../../support/chain/test-state.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'
import { GAS_LIMIT, GAS_PRICE, PUBLISHED_REPLAYS } from './published-replays.ts'

const ENV: BlockEnv = {
  ...BLOCK,
  revision: 'Istanbul',
  chainId: 1982n,
  coinbase: new Uint8Array(20),
  baseFee: 0n,
  gasLimit: 0x100000000000n,
}

/** Removes the results of reverts: Parity omits them, but Erigon, geth, reth and this node have them. */
function asPublished(answer: { readonly trace: readonly { error?: string; result?: object }[] }) {
  const trace = answer.trace.map(({ result, ...rest }) =>
    rest.error === 'Reverted' ? rest : { ...rest, ...(result !== undefined && { result }) },
  )
  return { ...answer, trace }
}

describe('parityTracer returns the published answers', () => {
  for (const { name, before, transactions } of PUBLISHED_REPLAYS) {
    test(name, async () => {
      const state = new TestState(keccak_256)
      for (const [address, { nonce = '0', balance = '0', code = '0x' }] of Object.entries(before)) {
        state.setAccount(parseData(address), BigInt(nonce), BigInt(balance), parseData(code))
      }
      const engine = await engineInBlock(ENV)
      for (const { input: fields, result } of transactions) {
        const input = transaction({
          type: 0,
          from: parseData(fields.from),
          to: fields.to === undefined ? undefined : parseData(fields.to),
          nonce: fields.nonce,
          gas: GAS_LIMIT,
          maxFeePerGas: GAS_PRICE,
          maxPriorityFeePerGas: GAS_PRICE,
          data: parseData(fields.data ?? '0x'),
        })
        const chunks: Uint8Array[] = []
        const writer = new ChunkedJsonWriter((chunk) => void chunks.push(chunk))
        const tracer = parityTracer({
          message: { input, env: ENV, gasPrice: GAS_PRICE },
          config: {},
          limits: { structLogBytes: 1 << 20 },
          view: state,
          writer,
        })
        const run = engine.transact(input, { trace: tracer.sink })
        tracer.finish(executed(answerFrom(run, state)))
        writer.flush()
        const answer = JSON.parse(Buffer.concat(chunks).toString())
        expect(asPublished(answer)).toEqual(result)
      }
    })
  }
})
