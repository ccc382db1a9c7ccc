import { randomBytes } from 'node:crypto'
import { type Hex, toHex } from 'viem'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Contract, compile } from '../support/contracts/solidity.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { type GateNode, PAY_TO, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import type { Payer } from '../support/payments/payer.ts'
import { expectHonestPayment, expectRefused, expectServed, NOT_VERIFIED } from './expectations.ts'

const HONEST = 0
const ATTACKER = 1
const VICTIM = 2
const FAST_BLOCKS = ['--consensus.block-time', '50ms']

const home = makeHome()
let gate: GateNode
let attacker: Payer
let victim: Payer
let other: Hex
let lookalike: { readonly at: Hex } & Contract
let mover: { readonly at: Hex } & Contract

const contractOf = (file: string, name: string): Contract => {
  const contract = compile(file).get(name)
  if (contract === undefined) throw new Error(`${file} has no ${name}`)
  return contract
}

beforeAll(async () => {
  gate = await startGateNode(home, [...FAST_BLOCKS, '--payments.receipt-deadline', '2s'])
  attacker = gate.payer(ATTACKER)
  victim = gate.payer(VICTIM)
  other = await attacker.deploy(contractOf('Token.sol', 'Token'), [10n ** 12n])
  const [pretender, moving] = ['Lookalike', 'Mover'].map((name) => contractOf('Payments.sol', name))
  lookalike = { ...(pretender as Contract), at: await attacker.deploy(pretender as Contract) }
  mover = { ...(moving as Contract), at: await attacker.deploy(moving as Contract) }
  await gate.challenge('/weather')
})

afterAll(async () => {
  await gate?.daemon.stop()
  removeHome(home)
})

/** An attacker's transaction and its proof. `from` and `amount` default to those of a correct proof. */
interface Attack {
  readonly name: string
  readonly invalidReason: string
  transact(): Promise<Hex>
  readonly from?: () => Hex
  readonly amount?: bigint
}

const approveMover = (owner: Payer) =>
  owner.send(
    owner.token,
    `0x095ea7b3${mover.at.slice(2).padStart(64, '0')}${(PRICE * 10n).toString(16).padStart(64, '0')}`,
  )

const move = (from: Hex, times: bigint) =>
  attacker.call(mover.at, mover.abi, 'move', [attacker.token, from, PAY_TO, PRICE, times])

const ATTACKS: readonly Attack[] = [
  {
    name: 'of another token',
    invalidReason: 'transfer_missing',
    transact: () => attacker.send(other, attacker.transferData(PAY_TO, PRICE)),
  },
  {
    name: 'to somebody else',
    invalidReason: 'transfer_missing',
    transact: () => attacker.pay(victim.address, PRICE),
  },
  {
    name: 'to the payer',
    invalidReason: 'transfer_missing',
    transact: () => attacker.pay(attacker.address, PRICE),
  },
  {
    name: 'of one unit less, said to be the price',
    invalidReason: 'transfer_missing',
    transact: () => attacker.pay(PAY_TO, PRICE - 1n),
  },
  {
    name: 'of one unit less, told as it is',
    invalidReason: 'amount_mismatch',
    transact: () => attacker.pay(PAY_TO, PRICE - 1n),
    amount: PRICE - 1n,
  },
  {
    name: 'of one unit more, where the price is exact',
    invalidReason: 'transfer_missing',
    transact: () => attacker.pay(PAY_TO, PRICE + 1n),
  },
  {
    name: 'by somebody else than it names',
    invalidReason: 'transfer_missing',
    transact: () => victim.pay(PAY_TO, PRICE),
  },
  {
    name: 'that another contract only logs',
    invalidReason: 'transfer_missing',
    transact: () =>
      attacker.call(lookalike.at, lookalike.abi, 'pretend', [attacker.address, PAY_TO, PRICE]),
  },
  {
    name: 'that is an approval',
    invalidReason: 'transfer_missing',
    transact: () =>
      attacker.send(
        attacker.token,
        `0x095ea7b3${attacker.transferData(PAY_TO, PRICE).slice(10)}` as Hex,
      ),
  },
  {
    name: 'of nothing',
    invalidReason: 'transfer_missing',
    transact: () => attacker.pay(PAY_TO, 0n),
  },
  {
    name: 'that moves the tokens of somebody who is not its payer',
    invalidReason: 'transfer_missing',
    transact: async () => {
      await approveMover(victim)
      return await move(victim.address, 1n)
    },
  },
  {
    name: 'that is made twice in one transaction, which could be two payments or one',
    invalidReason: 'transfer_ambiguous',
    transact: async () => {
      await approveMover(attacker)
      return await move(attacker.address, 2n)
    },
  },
  {
    name: 'that is undone in its transaction',
    invalidReason: 'invalid_transaction_state',
    transact: async () => {
      await approveMover(attacker)
      const args = [attacker.token, attacker.address, PAY_TO, PRICE]
      return await attacker.call(mover.at, mover.abi, 'moveAndRevert', args)
    },
  },
  {
    name: "in the chain's own coin",
    invalidReason: 'transfer_missing',
    transact: () => attacker.send(PAY_TO, '0x'),
  },
  {
    name: 'with a hash that no transaction has',
    invalidReason: 'invalid_transaction_state',
    transact: async () => toHex(randomBytes(32)),
  },
  {
    name: 'with the hash of a block',
    invalidReason: 'invalid_transaction_state',
    transact: async () =>
      (await gate.rpcCall<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash,
  },
]

describe('an invalid payment unlocks nothing, and the next honest payer is served', () => {
  for (const { name, invalidReason, transact, from, amount = PRICE } of ATTACKS) {
    test(name, async () => {
      const txHash = await transact()
      const payer = from?.() ?? attacker.address
      const answer = await gate.show('/weather', { txHash, amount: String(amount), from: payer })
      expectRefused(answer, NOT_VERIFIED, invalidReason)
      await expectHonestPayment(gate, '/weather', HONEST)
    })
  }
})

test('a payment that is presented before its block is awaited', async () => {
  const txHash = await attacker.submit(attacker.token, attacker.transferData(PAY_TO, PRICE))
  const payload = { txHash, amount: String(PRICE), from: attacker.address }
  expectServed(await gate.show('/weather', payload), txHash)
})
