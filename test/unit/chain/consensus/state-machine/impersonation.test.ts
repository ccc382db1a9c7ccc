import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { formatData, parseData } from '../../../../../host/base/hex.ts'
import { IMPERSONATED_S } from '../../../../../host/evm/chain-types/impersonation.ts'
import { nobleRecovery } from '../../../../../host/evm/chain-types/noble-recovery.ts'
import {
  decodeSigned,
  encodeTransaction,
} from '../../../../../host/evm/chain-types/transaction-codec.ts'
import type { Engine } from '../../../../../host/evm/engine/engine.ts'
import { lockstepRules } from '../../../../../host/evm/execute/lockstep/lockstep-rules.ts'
import { beginPlan, runPlanned } from '../../../../../host/evm/execute/replay/plan-run.ts'
import { planReplay } from '../../../../../host/evm/execute/replay/replay-plan.ts'
import { decodeAccount } from '../../../../../host/evm/state/account.ts'
import { devGenesis, MemoryChain } from '../../../../support/chain/memory-chain.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { devAccount } from '../../../../support/node/dev-wallet.ts'
import { transferAs } from '../impersonated.ts'

const { keccak256 } = nobleRecovery
const CONTRACT = bigintToBytes(0xc0de_c0den, 20)
const OWNER = parseData(devAccount(0).address)

let engine: Engine
beforeAll(async () => {
  engine = await openEngine(await compileEngine())
}, 120_000)

/** Opens a chain on which a contract has 1 ether. */
async function openChain(isDevelopment: boolean, verifyProposals = true): Promise<MemoryChain> {
  const { params, accounts, ...rest } = devGenesis()
  const contract = {
    address: CONTRACT,
    balance: 10n ** 18n,
    nonce: 1n,
    code: Uint8Array.of(0),
    storage: [],
  }
  const genesis = {
    ...rest,
    accounts: [...accounts, contract],
    params: { ...params, isDevelopment },
  }
  const chain = await MemoryChain.open(engine, { genesis, verifyProposals })
  await chain.initialise()
  return chain
}

describe('an impersonated transaction', () => {
  test.each([true, false])(
    'is voted against and has no effect on a chain that is not for development (verify_proposals %s)',
    async (verifyProposals) => {
      const chain = await openChain(false, verifyProposals)
      const forged = transferAs(OWNER)
      expect(await chain.application.processProposal(await chain.request([forged]))).toBe(false)
      const { block } = await chain.decide([forged])
      expect(block.transactions).toEqual([])
      expect(chain.mempool.nextNonce(OWNER)).toBe(0n)
    },
  )

  test('is refused by the pool of such a chain, whoever sends it', async () => {
    const { mempool } = await openChain(false)
    const forged = transferAs(OWNER)
    await expect(mempool.add(forged)).rejects.toThrow(
      'invalid sender: invalid transaction v, r, s values',
    )
    await expect(mempool.add(forged, { isImpersonated: true })).rejects.toThrow(
      'impersonated transactions are not accepted on this chain',
    )
  })

  test('is accepted on a development chain only from the node itself', async () => {
    const { mempool } = await openChain(true)
    const made = transferAs(OWNER)
    await expect(mempool.add(made)).rejects.toThrow(
      'invalid sender: invalid transaction v, r, s values',
    )
    expect(await mempool.add(made, { isImpersonated: true })).toEqual(keccak256(made))
    expect(mempool.get(keccak256(made))?.from).toEqual(OWNER)
  })

  test.each([0, 1, 2] as const)('of type %i is mined with its sender', async (type) => {
    const chain = await openChain(true)
    const made = transferAs(OWNER, {
      type,
      maxPriorityFeePerGas: type === 2 ? 10n ** 9n : 10n ** 10n,
    })
    await chain.mempool.add(made, { isImpersonated: true })
    const { receipts, block } = await chain.produce()
    expect(block.transactions).toEqual([made])
    expect(receipts[0]).toMatchObject({ from: OWNER, status: 1, gasUsed: 21_000n })
    const after = decodeAccount(chain.storage.state.view(1).account(OWNER))
    expect(after.nonce).toBe(1n)
  })

  test('is decoded from a block that another node produced', async () => {
    const chain = await openChain(true)
    const made = transferAs(OWNER)
    expect(await chain.application.processProposal(await chain.request([made]))).toBe(true)
    const { receipts } = await chain.decide([made])
    expect(receipts[0]).toMatchObject({ from: OWNER, status: 1 })
  })

  test('may come from a contract, pays fees as any other, and is replayed with the same result', async () => {
    const chain = await openChain(true)
    const sent = [0n, 1n, 2n].map((i) => transferAs(CONTRACT, { nonce: 1n + i, value: i }))
    for (const raw of sent) await chain.mempool.add(raw, { isImpersonated: true })
    const { receipts } = await chain.produce()
    expect(receipts.map(({ from, status }) => [formatData(from), status])).toEqual(
      Array.from({ length: 3 }, () => [formatData(CONTRACT), 1]),
    )
    const { nonce, balance } = decodeAccount(chain.storage.state.view(1).account(CONTRACT))
    const paid = receipts.reduce((sum, one) => sum + one.gasUsed * one.effectiveGasPrice, 0n)
    expect([nonce, balance]).toEqual([4n, 10n ** 18n - paid - 3n])

    const { history } = chain
    const rules = lockstepRules(chain.genesis.params, chain.storage.state)
    const plan = planReplay({ history, rules, keccak256 }, 1)
    const view = history.view(0)
    const run = { engine, plan, view, signal: new AbortController().signal }
    await beginPlan(run)
    for (const index of receipts.keys()) {
      expect((await runPlanned(run, index)).gasUsed).toBe(21_000n)
    }
  })

  test('of a contract is included with its nonce and gas', async () => {
    const chain = await openChain(true)
    const wrong = [
      transferAs(CONTRACT, { nonce: 0n }),
      transferAs(CONTRACT, { nonce: 2n }),
      transferAs(CONTRACT, { nonce: 1n, gas: 100_000_001n }),
    ]
    for (const raw of wrong) {
      expect(await chain.application.processProposal(await chain.request([raw]))).toBe(false)
    }
  })

  test('has one encoding: its parity is 0, and its r is at most an address', async () => {
    const chain = await openChain(true)
    const signed = decodeSigned(transferAs(OWNER), keccak256)
    const { v, r, s } = signed
    const forms = [
      { v: 1n, r, s },
      { v, r: r + 2n ** 160n, s },
      { v, r, s: IMPERSONATED_S - 1n },
    ]
    for (const form of forms) {
      const request = await chain.request([encodeTransaction(signed, form)])
      expect(await chain.application.processProposal(request)).toBe(false)
    }
  })
})
