import { describe, expect, test } from 'vitest'
import { bytesToBigint, concatBytes } from '../../../host/base/bytes.ts'
import { formatData, hexDigits } from '../../../host/base/hex.ts'
import { assemble } from '../../support/engine/bytecode.ts'
import { address } from '../../support/engine/engine-fixture.ts'
import { account, callData, ModuleBench, precompile } from '../../support/module/module-bench.ts'
import { Signer } from '../../support/module/signer.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { LedgerModel } from './ledger-model.ts'

const SEED = runSeed()
const STEPS = 250

const SIGNERS = Array.from({ length: 4 }, (_, i) => new Signer(`signer ${i}`))
const PEOPLE = [...SIGNERS.flatMap(({ evm, other }) => [evm, other]), address(0x77)]
const POINTERS = { uatom: address(0x9017), uosmo: address(0x9018) } as const
const DENOMINATIONS = ['uatom', 'uosmo'] as const

/**
 * Returns the code of a pointer: it forwards the input after the first byte to bank, then reverts if that byte is not
 * zero.
 */
function passing(): Uint8Array {
  const call = assemble(
    ...[1, 'CALLDATASIZE', 'SUB', 1, 0, 'CALLDATACOPY'],
    ...[0, 0, 1, 'CALLDATASIZE', 'SUB', 0, 0, bytesToBigint(precompile('bank')), 'GAS', 'CALL'],
  )
  const asked = [0, 'CALLDATALOAD', 248, 'SHR', 'ISZERO'] as const
  const reverting = (end: number) => assemble(...asked, end, 'JUMPI', 0, 0, 'REVERT')
  const end = call.length + reverting(200).length
  return concatBytes([call, reverting(end), assemble('JUMPDEST', 'STOP')])
}

describe(`bank and addr, compared with a model of plain maps (LOCKSTEP_SEED=${SEED}),`, () => {
  test(`agree after each of ${STEPS} calls, and no balance is created or lost`, async () => {
    const random = makeRandom(SEED)
    const below = (limit: number) => Math.floor(random() * limit)
    const choose = <Item>(items: readonly Item[]) => items[below(items.length)] as Item
    const wei = PEOPLE.map((_, i) => 10n ** 15n * BigInt(i + 1))
    const denominations = DENOMINATIONS.map((denomination) => ({
      denomination,
      name: denomination,
      symbol: denomination,
      decimals: 6,
      pointer: POINTERS[denomination],
      balances: PEOPLE.map((who, i) => ({ address: who, amount: BigInt(100 * i) })),
    }))
    const people = PEOPLE.map((who, i) => account(who, wei[i] as bigint))
    const pointers = Object.values(POINTERS).map((who) => account(who, 0n, passing()))
    const bench = await ModuleBench.open([...people, ...pointers], denominations)
    const model = new LedgerModel(
      [['wei', people.map((each) => [each.address, each.balance])]],
      denominations,
    )

    for (let step = 0; step < STEPS; step++) {
      const what = below(10)
      const by = choose(PEOPLE)
      if (what < 5) {
        const denomination = choose(DENOMINATIONS)
        const pointer = choose([POINTERS[denomination], POINTERS[denomination], POINTERS.uatom])
        const [from, to, amount] = [choose(PEOPLE), choose(PEOPLE), BigInt(below(400))]
        const isMeant = random() < 0.8
        const send = callData('bank', 'send', [
          formatData(from),
          formatData(to),
          denomination,
          amount,
        ])
        const isTakenBack = random() < 0.2
        const data = concatBytes([Uint8Array.of(isTakenBack ? 1 : 0), send])
        if (isMeant) bench.run({ from: by, to: pointer, data })
        else bench.run({ from: by, to: precompile('bank'), data: send })
        const isPointer = isMeant && !isTakenBack && pointer === POINTERS[denomination]
        if (isPointer) model.move(denomination, from, to, amount)
      } else if (what < 8) {
        const { other, bech32 } = choose(SIGNERS)
        const value = BigInt(below(1e9))
        // An account with too small a balance cannot send the transaction.
        if (model.amount('wei', by) < value) continue
        bench.call(by, 'bank', 'sendNative', [bech32], { value })
        if (value > 0n) model.move('wei', by, model.accountOf(other), value)
      } else {
        const signer = choose(SIGNERS)
        if (random() < 0.5) bench.call(by, 'addr', 'associate', signer.sign(`step ${step}`))
        else bench.call(by, 'addr', 'associatePubKey', [hexDigits(signer.compressed)])
        model.associate(signer.evm, signer.other)
      }
      for (const who of PEOPLE) {
        const has = model.amount('wei', who)
        expect(bench.balanceOf(who), `step ${step}, wei of ${hexDigits(who)}`).toBe(has)
      }
      const shown = choose(PEOPLE)
      expect(bench.read('bank', 'all_balances', [formatData(shown)]), `step ${step}`).toEqual(
        model.shown(shown, DENOMINATIONS),
      )
    }
    for (const denomination of DENOMINATIONS) {
      const supply = bench.read('bank', 'supply', [denomination])
      const held = PEOPLE.map((who) =>
        bench.read('bank', 'balance', [formatData(who), denomination]),
      ) as bigint[]
      expect(held.reduce((sum, amount) => sum + amount, 0n)).toBe(supply)
    }
    const all = PEOPLE.reduce((sum, who) => sum + bench.balanceOf(who), 0n)
    expect(all).toBe(wei.reduce((sum, each) => sum + each, 0n))
    expect(model.associations).toBeGreaterThan(0)
    expect(model.moves).toBeGreaterThan(STEPS / 5)
  })
})
